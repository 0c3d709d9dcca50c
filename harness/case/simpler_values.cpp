#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "case/case_values.h"
#include "case/simpler_steps.h"
#include "case/simplicity.h"

namespace shardproof {
namespace {

double at_most_one(double value) { return value == 0 ? 0.0 : 1.0; }

double integer(double value) {
  if (!std::isfinite(value)) return 0;
  // Not all the way to zero: that has been offered.
  return std::fabs(value) < 1 ? at_most_one(value) : std::trunc(value);
}

/// `value` cut to its leading significant bits; a value of every dtype of which `value` is one.
double leading_bits(double value, int bits) {
  if (!std::isfinite(value)) return 0;
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return std::ldexp(std::trunc(std::ldexp(fraction, bits)), exponent - bits);
}

double one_bit(double value) { return leading_bits(value, 1); }

template <class Change>
Case with_every_value(const Case& problem, Change change) {
  Case changed = problem;
  for (double* value : values_of(changed)) *value = change(*value);
  return changed;
}

/// Zeroes what stands in padded rows.
Case without_garbage(const Case& problem) {
  Case cleared = problem;
  for (Step& step : cleared.steps) {
    for (Shard& shard : step.shards) {
      for (MicroBatch& batch : shard.micro_batches) {
        const auto clear = [&](std::vector<double>& array) {
          const std::size_t columns = batch.mask.empty() ? 1 : array.size() / batch.mask.size();
          for (std::size_t i = 0; i < array.size(); ++i) {
            if (batch.mask[i / columns] == 0) array[i] = 0;
          }
        };
        clear(batch.x);
        clear(batch.y);
      }
    }
  }
  return cleared;
}

/// x W + b of one row, column by column of y.
std::vector<double> predictions(const Model& model, std::span<const double> x) {
  std::vector<double> found;
  std::size_t next = 0;  // parameter
  for (const Layer& layer : model.layers) {
    const auto outputs = static_cast<std::size_t>(layer.outputs);
    const std::size_t bias = next + x.size() * outputs;
    for (std::size_t k = 0; k < outputs; ++k) {
      double sum = layer.bias ? model.parameters[bias + k] : 0;
      for (std::size_t d = 0; d < x.size(); ++d) {
        sum += x[d] * model.parameters[next + d * outputs + k];
      }
      found.push_back(sum);
    }
    next = bias + (layer.bias ? outputs : 0);
  }
  return found;
}

/// Parameters 0, and y moved so that the residuals stay (up to rounding).
Case with_parameters_in_y(const Case& problem) {
  Case moved = problem;
  std::fill(moved.model.parameters.begin(), moved.model.parameters.end(), 0.0);
  const auto features = static_cast<std::size_t>(problem.model.features);
  for (Step& step : moved.steps) {
    for (Shard& shard : step.shards) {
      for (MicroBatch& batch : shard.micro_batches) {
        for (std::size_t row = 0; row < batch.mask.size(); ++row) {
          const std::vector<double> predicted =
              predictions(problem.model, std::span(batch.x).subspan(row * features, features));
          for (std::size_t k = 0; k < predicted.size(); ++k) {
            double& y = batch.y[row * predicted.size() + k];
            const double residual = round_to(problem.dtype, y - predicted[k]);
            if (std::isfinite(residual)) y = residual;
          }
        }
      }
    }
  }
  return moved;
}

bool offer_all_at_once(const Case& problem, const Offer& offer) {
  Case parameters_zero = problem;
  std::fill(parameters_zero.model.parameters.begin(), parameters_zero.model.parameters.end(), 0.0);
  Case ones = with_every_value(parameters_zero, at_most_one);
  return offer(without_garbage(ones)) && offer(std::move(ones)) &&
         offer(with_parameters_in_y(problem)) && offer(std::move(parameters_zero)) &&
         offer(without_garbage(problem)) && offer(with_every_value(problem, at_most_one)) &&
         offer(with_every_value(problem, integer)) && offer(with_every_value(problem, one_bit));
}

/// Zeroes runs of values, the long ones first.
bool offer_zeros(const Case& problem, const Offer& offer) {
  Case changed = problem;
  const std::vector<double*> values = values_of(changed);
  for (std::size_t run = (values.size() + 1) / 2; run >= 1; run /= 2) {
    // From the end: numbers that stand further in front are simpler.
    for (std::size_t last = values.size(); last > 0; last -= std::min(run, last)) {
      const std::size_t first = last - std::min(run, last);
      std::vector<double> before;
      bool any = false;
      for (std::size_t i = first; i < last; ++i) {
        any = any || value_rank(*values[i]) != 0;
        before.push_back(std::exchange(*values[i], 0.0));
      }
      const bool more = !any || offer(changed);
      for (std::size_t i = first; i < last; ++i) *values[i] = before[i - first];
      if (!more) return false;
    }
    if (run == 1) break;
  }
  return true;
}

/// Simpler stand-ins for one value, the simplest first; zero has been offered.
std::vector<double> stand_ins(double value) {
  if (value == 0) return {};  // -0
  const double sign = std::copysign(1.0, value);
  if (!std::isfinite(value)) return {1.0, sign, std::numeric_limits<double>::infinity()};
  std::vector<double> found{1.0, sign, std::fabs(value), std::trunc(value)};
  for (int bits : {1, 2, 4, 8, 12, 24}) found.push_back(leading_bits(value, bits));
  const int exponent = std::ilogb(value);
  found.push_back(std::ldexp(sign, exponent / 2));
  found.push_back(std::ldexp(sign, exponent - 1));
  if (std::fabs(value) <= 1 << 21 && std::trunc(value) == value) {
    found.push_back(std::trunc(value / 2));
    found.push_back(value - sign);
  }
  return found;
}

bool offer_simpler_single_values(const Case& problem, const Offer& offer) {
  Case changed = problem;
  const std::vector<double*> values = values_of(changed);
  for (auto value = values.rbegin(); value != values.rend(); ++value) {
    const double before = **value;
    if (value_rank(before) <= 1) continue;
    for (double simpler : stand_ins(before)) {
      if (value_rank(simpler) >= value_rank(before)) continue;
      if (!representable(problem.dtype, simpler)) continue;
      **value = simpler;
      const bool more = offer(changed);
      **value = before;
      if (!more) return false;
    }
  }
  return true;
}

bool offer_simpler_learning_rate(const Case& problem, const Offer& offer) {
  for (double rate : {kSimplestLearningRate, 1.0, 0.5}) {
    Case changed = problem;
    changed.learning_rate = rate;
    if (!offer(std::move(changed))) return false;
  }
  return true;
}

}  // namespace

bool offer_simpler_values(const Case& problem, const Offer& offer) {
  return offer_all_at_once(problem, offer) && offer_zeros(problem, offer) &&
         offer_simpler_single_values(problem, offer) && offer_simpler_learning_rate(problem, offer);
}

}  // namespace shardproof
