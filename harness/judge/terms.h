#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "exact/magnitude.h"
#include "judge/step_of_trial.h"

namespace shardproof {

/// n of the bounds: the terms that are not zero; where running means are allowed, zeros of a rank
/// with any other term are touched by roundings too (NUMERICS amendment 1).
class TermCount {
 public:
  void add_term() { ++not_zero_; }
  /// Counts a rank that has any term which is not zero.
  void add_rank(std::size_t micro_batches) { touched_ += static_cast<std::int64_t>(micro_batches); }
  [[nodiscard]] std::int64_t terms(bool tree) const { return tree ? not_zero_ : touched_; }

 private:
  std::int64_t not_zero_ = 0;
  std::int64_t touched_ = 0;
};

/// An upper bound of |g| of a micro-batch.
using MagnitudeOf = std::function<double(std::size_t shard, std::size_t m)>;

/// The bound of a reduction as the claim allows it: of one sum, or of running means over each
/// rank's micro-batches that are then reduced, or the larger one where both are open.
Magnitude bound_of_reduction(const StepOfTrial& at, const std::function<double()>& bound_of_sum,
                             const MagnitudeOf& magnitude);

}  // namespace shardproof
