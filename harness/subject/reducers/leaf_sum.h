#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "shardproof/subject/leaf_reduction.h"

namespace shardproof {

/// Terms of one leaf, each [element], and the valid rows behind each.
struct LeafItems {
  std::vector<std::vector<double>> values;
  std::vector<double> counts;
};

/// Where the elements at hand stand in their leaf: `first` of `of`.
struct LeafBlock {
  std::size_t first = 0;
  std::size_t of = 0;
};

struct LeafOrdering {
  LeafOrder order = LeafOrder::forwards;
  std::uint64_t seed = 0;
  LeafBlock block;
};

/// Adds up the items in an order, every sum rounded to `dtype`; they are used up.
/// \pre there is one at least
std::vector<double> sum_of_items(const LeafOrdering& how, Dtype dtype,
                                 std::vector<std::vector<double>> items);

}  // namespace shardproof
