#pragma once

#include <span>

#include "shardproof/case/claim.h"
#include "shardproof/subject/outcome.h"

namespace shardproof {

/// Roundings of the scaling 2/(nK) that `local_gradient` applies to a finished sum (NUMERICS ms).
inline constexpr int kLocalScaleRoundings = 2;

/// In which a local gradient is computed, and to which the finished values are rounded once.
struct LocalDtypes {
  Dtype compute;  ///< f32 or f64
  Dtype store;
};
/// f64 where case or gradient are of f64, else f32: rows and parameters are never rounded.
LocalDtypes local_dtypes(Dtype of_case, Dtype gradient);

/// Gradient and loss of the valid rows of one micro-batch, scaled by 2/(denominator * K) and
/// 1/(denominator * K): computed on owned aligned copies of the valid rows, in a fixed
/// order, so that equal rows give equal bits whatever padding stands among them.
struct LocalGradient {
  Tree gradient;
  double loss = 0;
};
LocalGradient local_gradient(const Model& model, const SharedShape& shape,
                             std::span<const double> parameters, const MicroBatch& rows,
                             LocalDtypes dtypes, double denominator);

/// The contribution of one micro-batch: a pure function of its arguments. Zeros where no row is
/// valid.
///
/// \param gradient  the dtype of its values; nothing: the case's
Contribution local_contribution(const Case& problem, const SharedShape& shape, int step, int shard,
                                int micro_batch, InputForm form,
                                std::optional<Dtype> gradient = std::nullopt);

}  // namespace shardproof
