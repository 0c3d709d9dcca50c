#include "judge/local.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "exact/magnitude.h"

namespace shardproof {
namespace {

constexpr int kNoQuantum = std::numeric_limits<int>::max() / 4;  // of zero: any

/// The exponent of the lowest bit of a value that is not zero.
int quantum(double value) {
  if (value == 0) return kNoQuantum;
  int exponent = 0;
  double fraction = std::frexp(value, &exponent);
  int bits = 0;
  while (fraction != std::trunc(fraction)) {
    fraction *= 2;
    ++bits;
  }
  return exponent - bits;
}

int least_quantum(std::span<const double> values) {
  int least = kNoQuantum;
  for (double value : values) least = std::min(least, quantum(value));
  return least;
}

/// Of the valid rows of a micro-batch.
int least_quantum(std::span<const double> values, const MicroBatch& rows, std::size_t columns) {
  int least = kNoQuantum;
  for (std::size_t i = 0; i < rows.mask.size(); ++i) {
    if (rows.mask[i] == 0) continue;
    least = std::min(least, least_quantum(values.subspan(i * columns, columns)));
  }
  return least;
}

// How often a train step may store a value in 16 bits: prediction, residual and scaled residual;
// sum, product with the scale and result.
constexpr int kResidualStores = 3;
constexpr int kResultStores = 3;

/// What is known of harness code, and what a train step's claim leaves open.
LocalArithmetic arithmetic_of_rows(const StepOfTrial& at) {
  const RoleDtypes dtypes = role_dtypes(at.claim(), at.problem().dtype);
  if (at.trial.kind == SubjectKind::reducer) {
    return arithmetic_of_contribution(local_dtypes(at.problem().dtype, dtypes.gradient));
  }
  LocalArithmetic arithmetic{.dtype = dtypes.multiply, .scale_roundings = kLocalScaleRoundings};
  const Dtype stored = coarser(at.problem().dtype, dtypes.gradient);
  if (format(stored).precision < format(dtypes.multiply).precision) {
    arithmetic.store = stored;
    arithmetic.residual_stores = kResidualStores;
    arithmetic.result_stores = kResultStores;
  }
  return arithmetic;
}

}  // namespace

LocalArithmetic arithmetic_of_contribution(LocalDtypes dtypes) {
  LocalArithmetic arithmetic{.dtype = dtypes.compute, .scale_roundings = kLocalScaleRoundings};
  if (dtypes.store != dtypes.compute) arithmetic.store = dtypes.store;
  return arithmetic;
}

LocalBounds local_bounds(const StepOfTrial& at, InputForm form) {
  LocalBounds bounds(at.step().shards.size());
  const ValidCount all = at.step().valid();
  for (std::size_t r = 0; r < bounds.size(); ++r) {
    for (const MicroBatch& rows : at.step().shards[r].micro_batches) {
      LocalArithmetic arithmetic = arithmetic_of_rows(at);
      const ValidCount mine = rows.valid();
      if (mine.value > 0) {
        arithmetic.scale = gradient_scale(form, at.problem().model, mine, all);
        arithmetic.loss_scale = loss_scale(form, at.problem().model, mine, all);
      }
      const EvaluatedRows group{&rows, at.parameters[r]};
      bounds[r].push_back(local_bound(at.problem().model, {&group, 1}, arithmetic));
    }
  }
  return bounds;
}

LocalBound bound_over_all_rows(const StepOfTrial& at, int scale_roundings) {
  std::vector<EvaluatedRows> groups;
  for (std::size_t r = 0; r < at.step().shards.size(); ++r) {
    for (const MicroBatch& rows : at.step().shards[r].micro_batches) {
      groups.push_back({&rows, at.parameters[r]});
    }
  }
  const Model& model = at.problem().model;
  const ValidCount all = at.step().valid();
  LocalArithmetic arithmetic = arithmetic_of_rows(at);
  arithmetic.scale = gradient_scale(InputForm::global_mean, model, all, all);
  arithmetic.loss_scale = loss_scale(InputForm::global_mean, model, all, all);
  arithmetic.scale_roundings = scale_roundings;
  return local_bound(model, groups, arithmetic);
}

bool certainly_normal(const StepOfTrial& at) {
  const Model& model = at.problem().model;
  const RoleDtypes dtypes = role_dtypes(at.claim(), at.problem().dtype);
  // The one whose subnormals begin first.
  Dtype least = dtypes.accumulate;
  for (const Dtype other : {at.problem().dtype, dtypes.gradient, dtypes.multiply, dtypes.output,
                            dtypes.wire.value_or(least)}) {
    if (format(other).smallest_normal > format(least).smallest_normal) least = other;
  }
  const Format& f = format(least);
  int lowest = kNoQuantum;
  for (std::size_t r = 0; r < at.step().shards.size(); ++r) {
    const int w = least_quantum(at.parameters[r]);
    for (const MicroBatch& rows : at.step().shards[r].micro_batches) {
      const int x =
          std::min(0, least_quantum(rows.x, rows, static_cast<std::size_t>(model.features)));
      const int y = least_quantum(rows.y, rows, static_cast<std::size_t>(model.outputs()));
      lowest = std::min(lowest, x + std::min({0, x + w, w, y}));
    }
  }
  const double divisor = static_cast<double>(at.step().valid().value) * model.outputs();
  return lowest - std::ilogb(divisor) - 1 >= f.min_exponent + f.precision;
}

}  // namespace shardproof
