#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "shardproof/case/case.h"
#include "shardproof/case/dtype.h"

namespace shardproof {

/// How a reducer may compute: what the error bound of a reduction depends on beside its terms.
struct Arithmetic {
  Dtype accumulate = Dtype::f32;  ///< the coarsest format of an intermediate result
  int roundings = 4;         ///< m: multiplicative roundings of a term before the last rounding
  double amplification = 1;  ///< A: by how much an underflow may be magnified afterwards
  bool tree = false;         ///< a binary tree of rounded additions; else compensated sums too
  bool faithful = false;     ///< roundings to either neighbour instead of the nearest
  bool flush = false;        ///< subnormal values may be replaced by zero
  /// A format to which terms are converted once before the sum, and the sum once after it.
  std::optional<Dtype> wire = std::nullopt;
  /// A format in which counts are rounded so many times on the way to a weight.
  std::optional<Dtype> count = std::nullopt;
  int count_roundings = 0;
};

/// Upper bounds of what enters one element of a reduction.
struct TermSums {
  double positive = 0;     ///< sum of the positive weighted terms
  double negative = 0;     ///< minus the sum of the negative ones
  double total = 0;        ///< magnitude of the whole sum
  std::int64_t terms = 0;  ///< n: terms that are not zero
};

/// How far a right reduction of these terms may lie from the exact sum before its last rounding
/// (NUMERICS 1.3, amendments 1 to 3). Never below the proved bound; infinity where none is proved.
double reduction_bound(const Arithmetic& arithmetic, const TermSums& sums);

/// Half the gap between `value` and its neighbour in `output`, upwards or downwards (NUMERICS F5):
/// how far the last rounding may have moved the result. A whole gap where rounding is only
/// faithful.
double last_rounding(const Arithmetic& arithmetic, Dtype output, double value, bool upwards);

/// One term of a running mean: a micro-batch's magnitude and count.
struct MeanTerm {
  double magnitude = 0;
  std::int64_t count = 0;
};

/// Bounds of acc += (g - acc) n_k / N_k, or acc = acc (N_k - n_k) / N_k + g n_k / N_k, where N_k =
/// n_1 + ... + n_k, over terms with positive counts.
struct RunningMean {
  double error = 0;      ///< how far the computed mean may lie from the exact one
  double magnitude = 0;  ///< of the exact mean, at most
};

/// At each step the difference, the quotient of counts and the product are rounded (or the product
/// and the quotient), then the sum; errors shrink with the weights that follow. Proved by that
/// recursion.
RunningMean running_mean_bound(const Arithmetic& arithmetic, std::span<const MeanTerm> terms);

/// How a local gradient is computed (NUMERICS 1.7 and amendments 4 and 10).
struct LocalArithmetic {
  Dtype dtype = Dtype::f32;  ///< of products and sums
  /// A format to which values are rounded when they are stored; nothing: `dtype`.
  std::optional<Dtype> store = std::nullopt;
  int residual_stores = 0;  ///< such roundings on the way to a residual
  int result_stores = 1;    ///< and from the finished sum to the result
  double scale = 1;         ///< upper bound of c, the factor of the sums of x_id r_ik
  double loss_scale = 1;    ///< upper bound of c', the factor of the sum of r_ik^2
  int scale_roundings = 2;  ///< ms: roundings of a scaling, wherever it stands
};

/// How far computed sums over rows may lie from the exact ones, in any order, fused or not.
struct LocalBound {
  std::vector<double> gradient;  ///< of c sum_i x_id r_ik, per element of the flat tree
  double loss = 0;               ///< of c' sum_ik r_ik^2
  bool may_overflow = false;     ///< some intermediate value may leave the range of the dtype
};

/// A micro-batch and the parameters at which it is evaluated: a flat tree of the model.
struct EvaluatedRows {
  const MicroBatch* rows = nullptr;
  std::span<const double> parameters;
};

/// \param groups  micro-batches whose valid rows enter one sum; absent layers add nothing
LocalBound local_bound(const Model& model, std::span<const EvaluatedRows> groups,
                       const LocalArithmetic& arithmetic);

}  // namespace shardproof
