#include "special.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace shardproof {
namespace {

/// Applies `visit(micro_batch, row)` to every row that is valid, or is padding, in order, until it
/// returns false.
template <class Visit>
void for_each_row(Case& problem, bool valid, Visit visit) {
  for (Step& step : problem.steps) {
    for (Shard& shard : step.shards) {
      for (MicroBatch& rows : shard.micro_batches) {
        for (std::size_t row = 0; row < rows.mask.size(); ++row) {
          if ((rows.mask[row] != 0) == valid && !visit(rows, row)) return;
        }
      }
    }
  }
}

/// Parameters 0; the first valid row gets inputs 1 and this target: its residuals are exact.
void set_first_target(double target, Case& problem) {
  const auto features = static_cast<std::ptrdiff_t>(problem.model.features);
  const auto outputs = static_cast<std::size_t>(problem.model.outputs());
  std::fill(problem.model.parameters.begin(), problem.model.parameters.end(), 0.0);
  for_each_row(problem, true, [&](MicroBatch& rows, std::size_t row) {
    std::fill_n(rows.x.begin() + static_cast<std::ptrdiff_t>(row) * features, features, 1.0);
    rows.y[row * outputs] = target;
    return false;
  });
}

void spoil_padding(Case& problem) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto features = static_cast<std::size_t>(problem.model.features);
  const auto outputs = static_cast<std::size_t>(problem.model.outputs());
  bool nan = true;
  for_each_row(problem, false, [&](MicroBatch& rows, std::size_t row) {
    rows.x[row * features] = nan ? kNaN : kInfinity;
    rows.y[row * outputs] = nan ? kInfinity : kNaN;
    nan = !nan;
    return true;
  });
}

}  // namespace

double least_near_overflow(Dtype dtype) {
  constexpr int kOctaves = 8;
  return std::ldexp(1.0, std::ilogb(format(dtype).largest) - kOctaves);
}

void make_special(Special special, Case& problem) {
  switch (special) {
    case Special::none:
      break;
    case Special::subnormal:
      set_first_target(3 * format(problem.dtype).smallest_subnormal, problem);
      break;
    case Special::near_overflow:
      set_first_target(least_near_overflow(problem.dtype), problem);
      break;
    case Special::bad_padding:
      spoil_padding(problem);
      break;
    case Special::absent_layer: {
      std::vector<std::uint8_t> absent(problem.model.layers.size(), 0);
      absent.back() = 1;
      problem.steps.front().shards.front().micro_batches.front().absent = std::move(absent);
      break;
    }
    case Special::reversed_ranks:
      problem.arrival.clear();
      for (int r = problem.world_size().value; r-- > 0;) problem.arrival.push_back(r);
      break;
  }
}

}  // namespace shardproof
