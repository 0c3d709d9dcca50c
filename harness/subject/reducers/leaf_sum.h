#pragma once

#include <cstdint>
#include <vector>

#include "shardproof/subject/leaf_reduction.h"

namespace shardproof {

/// Terms of one leaf, each [element], and the valid rows behind each.
struct LeafItems {
  std::vector<std::vector<double>> values;
  std::vector<double> counts;
};

/// Adds up the items in an order, every sum rounded to `dtype`; they are used up.
/// \pre there is one at least
std::vector<double> sum_of_items(LeafOrder order, std::uint64_t seed, Dtype dtype,
                                 std::vector<std::vector<double>> items);

}  // namespace shardproof
