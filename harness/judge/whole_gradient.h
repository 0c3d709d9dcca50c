#pragma once

#include <span>
#include <vector>

#include "shardproof/judge/trial.h"

namespace shardproof {

/// The gradient of a step as its ranks returned it: each rank's own, or where they return pieces,
/// the pieces put together.
class WholeGradient {
 public:
  /// \pre the outcome of the trial, which outlives this, is Returned
  WholeGradient(const Trial& trial, std::size_t step);

  [[nodiscard]] std::span<const double> of_rank(std::size_t rank) const;
  [[nodiscard]] bool in_pieces() const { return !joined_.empty(); }

 private:
  const std::vector<RankResult>& ranks_;
  std::vector<double> joined_;
};

}  // namespace shardproof
