#include "judge/local.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "exact/magnitude.h"
#include "shardproof/subject/local_gradient.h"

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

/// Harness code computes contributions in the case's dtype; a train step is free to use its
/// accumulator's where that is coarser.
Dtype dtype_of_rows(const StepOfTrial& at) {
  const Dtype dtype = at.problem().dtype;
  if (at.trial.kind == SubjectKind::reducer) return dtype;
  const Dtype other = at.arithmetic.accumulate;
  return format(other).precision < format(dtype).precision ? other : dtype;
}

}  // namespace

LocalBounds local_bounds(const StepOfTrial& at, InputForm form) {
  LocalBounds bounds(at.step().shards.size());
  const ValidCount all = at.step().valid();
  for (std::size_t r = 0; r < bounds.size(); ++r) {
    for (const MicroBatch& rows : at.step().shards[r].micro_batches) {
      LocalArithmetic arithmetic{.dtype = dtype_of_rows(at),
                                 .scale_roundings = kLocalScaleRoundings};
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
  const LocalArithmetic arithmetic{
      .dtype = dtype_of_rows(at),
      .scale = gradient_scale(InputForm::global_mean, model, all, all),
      .loss_scale = loss_scale(InputForm::global_mean, model, all, all),
      .scale_roundings = scale_roundings};
  return local_bound(model, groups, arithmetic);
}

bool certainly_normal(const StepOfTrial& at) {
  const Model& model = at.problem().model;
  const Format& f = format(at.problem().dtype);
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
