#pragma once

#include <span>

#include "shardproof/case/claim.h"
#include "shardproof/subject/outcome.h"

namespace shardproof {

/// Roundings of the scaling 2/(nK) that `local_gradient` applies to a finished sum (NUMERICS ms).
inline constexpr int kLocalScaleRoundings = 2;

/// Gradient and loss of the valid rows of one micro-batch, scaled by 2/(denominator * K) and
/// 1/(denominator * K): computed in `dtype`, on owned aligned copies of the valid rows, in a fixed
/// order, so that equal rows give equal bits whatever padding stands among them.
struct LocalGradient {
  Tree gradient;
  double loss = 0;
};
LocalGradient local_gradient(const Model& model, const SharedShape& shape,
                             std::span<const double> parameters, const MicroBatch& rows,
                             Dtype dtype, double denominator);

/// The contribution of one micro-batch: a pure function of its arguments. Zeros where no row is
/// valid.
Contribution local_contribution(const Case& problem, const SharedShape& shape, int step, int shard,
                                int micro_batch, InputForm form);

}  // namespace shardproof
