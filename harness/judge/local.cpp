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

}  // namespace

LocalBounds local_bounds(const StepOfTrial& at, InputForm form) {
  LocalBounds bounds(at.step().shards.size());
  const ValidCount all = at.step().valid();
  for (std::size_t r = 0; r < bounds.size(); ++r) {
    for (const MicroBatch& rows : at.step().shards[r].micro_batches) {
      LocalArithmetic arithmetic{.dtype = at.problem().dtype,
                                 .scale_roundings = kLocalScaleRoundings};
      const ValidCount mine = rows.valid();
      if (mine.value > 0) {
        arithmetic.scale = gradient_scale(form, at.problem().model, mine, all);
        arithmetic.loss_scale = loss_scale(form, at.problem().model, mine, all);
      }
      const MicroBatch* group = &rows;
      bounds[r].push_back(
          local_bound(at.problem().model, at.parameters[r], {&group, 1}, arithmetic));
    }
  }
  return bounds;
}

LocalBound bound_over_all_rows(const StepOfTrial& at, int scale_roundings) {
  std::vector<const MicroBatch*> groups;
  for (const Shard& shard : at.step().shards) {
    for (const MicroBatch& rows : shard.micro_batches) groups.push_back(&rows);
  }
  const Model& model = at.problem().model;
  const ValidCount all = at.step().valid();
  const LocalArithmetic arithmetic{
      .dtype = at.problem().dtype,
      .scale = gradient_scale(InputForm::global_mean, model, all, all),
      .loss_scale = loss_scale(InputForm::global_mean, model, all, all),
      .scale_roundings = scale_roundings};
  return local_bound(model, at.parameters.front(), groups, arithmetic);
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
