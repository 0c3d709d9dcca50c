#pragma once

#include <cstddef>
#include <vector>

#include "shardproof/case/tree.h"

namespace shardproof {

/// Which leaves stand in a bucket of a communication hook, and where.
struct Bucket {
  std::vector<std::size_t> leaves;
  std::vector<std::size_t> offsets;  ///< of each leaf in the bucket
  std::size_t count = 0;             ///< elements, gaps included
};

/// The buckets of one step: a pure function of the tree and the step, so that a case that fails
/// does so again. By turns all leaves in one, one a leaf, and a capacity of about half the tree;
/// the order of the leaves, and whether there are gaps between them, change as well.
std::vector<Bucket> buckets_of(const TreeShape& shape, int step);

}  // namespace shardproof
