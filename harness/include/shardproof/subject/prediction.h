#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "shardproof/case/claim.h"
#include "shardproof/subject/outcome.h"

namespace shardproof {

/// A weight that is not negative.
struct Fraction {
  std::uint64_t numerator = 0;
  std::uint64_t denominator = 1;
  friend bool operator==(const Fraction&, const Fraction&) = default;
};

/// The result that is predicted: one element of what one rank returned for a step.
struct ResultSite {
  const Case& problem;
  const Claim& claim;
  const TreeShape& shape;
  /// [step][shard][micro-batch], as they were handed in; null for train steps
  const std::vector<std::vector<std::vector<Contribution>>>* contributions = nullptr;
  int step = 0;
  std::size_t rank = 0;     ///< whose result it is
  std::size_t element = 0;  ///< of the flat tree; `shape.size` is the loss
};

/// `weight` times the mean over the valid rows of one micro-batch, whatever form it was handed in.
struct PredictedTerm {
  int step = 0;
  std::size_t shard = 0;
  std::size_t micro_batch = 0;
  std::size_t element = 0;  ///< of that micro-batch's flat tree; `shape.size` is its loss
  Fraction weight{};
  /// Instead of that mean; NaN, infinities too. Faults that change what is handed in say it so.
  std::optional<double> number = std::nullopt;
};

/// What a fault makes of a result: the exact sum of its terms or, where it does not add and scale,
/// a number.
struct Prediction {
  std::vector<PredictedTerm> terms;
  std::optional<double> exactly = std::nullopt;  ///< instead of the terms; NaN, infinities too
};

}  // namespace shardproof
