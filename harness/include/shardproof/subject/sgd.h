#pragma once

#include <optional>

#include "shardproof/subject/strategy.h"
#include "shardproof/subject/train_step.h"

namespace shardproof {

/// A mistake of a train step.
enum class TrainFault {
  update_before_reduce,    ///< parameters move by the rank's own gradient
  loss_after_update,       ///< the loss is the one of the updated parameters
  update_twice,            ///< parameters move by the gradient twice
  leaf_not_updated,        ///< the last leaf keeps its parameters
  sum_update,              ///< parameters move by P times the gradient
  unmasked_numerator,      ///< padded rows reach the sum but not the count
  mask_by_multiplication,  ///< padded rows are multiplied by zero: NaN and infinity survive that
};

/// Plain SGD whose gradient, loss and count are reduced by a strategy: parameters become
/// round(w - round(lr g)) in the case's dtype.
TrainStepFactory sgd_of(const Strategy& strategy, std::optional<TrainFault> fault = std::nullopt);

/// What right SGD by a strategy keeps.
Claim sgd_claim(const Strategy& strategy);

}  // namespace shardproof
