#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shardproof/case/case.h"
#include "shardproof/exact/dyadic.h"

namespace shardproof {

/// Rows that enter an exact sum with one integer weight, at the parameters of their shard.
struct WeightedRows {
  const MicroBatch* rows = nullptr;
  std::span<const double> parameters;  ///< flat tree of the model
  std::uint64_t weight = 1;
};

/// Exact numerators over one common divisor: element e is numerators[e] / divisor.
struct ExactTree {
  std::vector<Dyadic> numerators;  ///< flat tree
  std::uint64_t divisor = 1;
};

struct ExactLoss {
  Dyadic numerator;
  std::uint64_t divisor = 1;
};

/// Exact weighted sum of row gradients of (x W + b - y)^2.
///
/// Kernel element (d, k): 2 sum_g weight_g sum_i x_id r_ik / divisor over the valid rows i of every
/// group g, r the exact residual at that group's parameters; bias: x = 1. Absent layers add
/// nothing.
///
/// \param groups   rows with their weights; padded rows are not read
/// \param divisor  1 or more; the caller puts row count and outputs in it
/// \pre   parameters and valid rows are finite
ExactTree exact_gradient(const Model& model, std::span<const WeightedRows> groups,
                         std::uint64_t divisor);

/// Exact sum_g weight_g sum_i sum_k r_ik^2 / divisor, layers that are absent left out.
ExactLoss exact_loss(const Model& model, std::span<const WeightedRows> groups,
                     std::uint64_t divisor);

}  // namespace shardproof
