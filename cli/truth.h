#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "shardproof/case/claim.h"
#include "shardproof/exact/exact_gradient.h"

namespace shardproof::cli {

/// What one step should give, in exact numbers.
struct StepTruth {
  std::vector<std::int64_t> counts;   ///< [rank], valid rows
  std::int64_t count = 0;             ///< of all ranks
  std::vector<ExactTree> rank_means;  ///< [rank], of its own valid rows; empty where it has none
  std::optional<ExactTree> gradient;  ///< the claim's target; nothing where its divisor is beyond
                                      ///< 64 bits or no row is valid
  std::optional<ExactLoss> loss;      ///< mean over all valid rows and outputs
};

/// \param parameters  [rank], each a flat tree: where that rank evaluates its rows
StepTruth step_truth(const Case& problem, const Claim& claim, int step,
                     std::span<const std::vector<double>> parameters);

/// `2/3`: the weight of a rank's own mean in the target, for targets that are such a sum.
std::string weight_of_rank(const Claim& claim, const StepTruth& truth, int rank);

}  // namespace shardproof::cli
