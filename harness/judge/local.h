#pragma once

#include <vector>

#include "judge/step_of_trial.h"
#include "shardproof/subject/local_gradient.h"

namespace shardproof {

/// Bounds of every contribution of a step, [shard][micro-batch].
using LocalBounds = std::vector<std::vector<LocalBound>>;

/// What is known of a contribution that the harness computes; its scales are still to be filled in.
LocalArithmetic arithmetic_of_contribution(LocalDtypes dtypes);

/// \param form  what a rank computes of a micro-batch
LocalBounds local_bounds(const StepOfTrial& at, InputForm form);

/// Bounds of one sum over all rows of the step, each shard's at its own parameters, scaled to the
/// weighted mean.
LocalBound bound_over_all_rows(const StepOfTrial& at, int scale_roundings);

/// Whether no product, residual or scaled value of the step can be subnormal unless it is zero: all
/// are multiples of a quantum that is large enough (NUMERICS amendment 5).
bool certainly_normal(const StepOfTrial& at);

}  // namespace shardproof
