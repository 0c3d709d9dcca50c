#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "shardproof/case/claim.h"
#include "shardproof/exact/exact_gradient.h"

namespace shardproof {

/// Integer weights over one divisor: the target is sum_rm weight[r][m] g_rm / divisor.
struct Weights {
  std::vector<std::vector<std::uint64_t>> weight;  ///< [shard][micro-batch]
  std::uint64_t divisor = 1;
};

/// Weights of the contributions as they are handed in (of `claim.input`) in the claim's target.
/// \pre   some row of the step is valid
/// \return nothing where counts are so unlike that the weights do not fit 53 bits
std::optional<Weights> contribution_weights(const Claim& claim, const Step& step);

/// Weights of the plain sums over rows (of 2 x r, and of r^2 for the loss) in the claim's target.
std::optional<Weights> row_weights(const Claim& claim, const Model& model, const Step& step);

/// The parameters at which a step is evaluated: one flat tree per data shard.
using ShardParameters = std::vector<std::span<const double>>;

/// The exact gradient (or loss) after a step, computed from the rows
/// alone: the whole tree, of which a rank has to hold the elements of its `expected_piece`.
ExactTree expected_gradient(const Weights& rows, const Case& problem, int step,
                            const ShardParameters& parameters);
ExactLoss expected_loss(const Weights& rows, const Case& problem, int step,
                        const ShardParameters& parameters);

/// c and c' of NUMERICS 1.7: the factors of a contribution's sums, bounded from above.
double gradient_scale(InputForm form, const Model& model, ValidCount micro_batch, ValidCount step);
double loss_scale(InputForm form, const Model& model, ValidCount micro_batch, ValidCount step);

}  // namespace shardproof
