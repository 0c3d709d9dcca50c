#include "shardproof/case/claim.h"

#include <cmath>

#include "shardproof/case/error.h"

namespace shardproof {
namespace {

/// Padding that is "finite": no product or sum of a step's few rows comes near overflow (NUMERICS,
/// amendments 11 and 14).
double largest_finite_padding(Dtype dtype) { return dtype == Dtype::f16 ? 16 : 1e6; }

bool small_padding(const std::vector<double>& values, const MicroBatch& rows, int columns,
                   double largest) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (rows.mask[i / static_cast<std::size_t>(columns)] != 0) continue;
    if (!(std::fabs(values[i]) <= largest)) return false;
  }
  return true;
}

bool small_padding(const Case& problem) {
  const int outputs = problem.model.outputs();
  const double largest = largest_finite_padding(problem.dtype);
  for (const Step& step : problem.steps) {
    for (const Shard& shard : step.shards) {
      for (const MicroBatch& rows : shard.micro_batches) {
        if (!small_padding(rows.x, rows, problem.model.features, largest) ||
            !small_padding(rows.y, rows, outputs, largest)) {
          return false;
        }
      }
    }
  }
  return true;
}

}  // namespace

RoleDtypes role_dtypes(const Claim& claim, Dtype of_case) {
  const Dtype gradient = claim.gradient.value_or(of_case);
  const Dtype accumulate = claim.accumulate.value_or(gradient);
  const Dtype multiply = has_16_bits(of_case)      ? Dtype::f32
                         : has_16_bits(accumulate) ? of_case
                                                   : coarser(of_case, accumulate);
  return {.multiply = claim.multiply.value_or(multiply),
          .gradient = gradient,
          .wire = claim.wire,
          .accumulate = accumulate,
          .output = claim.output.value_or(gradient),
          .count = claim.count,
          .master = claim.master};
}

std::optional<std::string> excluded_by(const Claim& claim, const Case& problem) {
  const int ranks = problem.world_size().value;
  if (ranks < claim.min_world || ranks > claim.max_world) {
    return "world size " + std::to_string(ranks) + " is not claimed (" +
           std::to_string(claim.min_world) + " to " + std::to_string(claim.max_world) + ")";
  }
  if (claim.only_dtype && *claim.only_dtype != problem.dtype) {
    return "dtype " + std::string(name(problem.dtype)) + " is not claimed";
  }
  const Dtype gradient = claim.gradient.value_or(problem.dtype);
  if (has_16_bits(gradient) && !claim.accumulate && !claim.accumulates_in_16_bits) {
    return "accumulate is not claimed, as contributions in " + std::string(name(gradient)) +
           " need";
  }
  const ConditionSet needed = conditions(problem);
  for (Condition condition : kAllConditions) {
    if (needed.contains(condition) && !claim.conditions.contains(condition)) {
      return "condition " + std::string(name(condition)) + " is not claimed";
    }
  }
  if (claim.padding == PaddingContent::finite && needed.contains(Condition::padded) &&
      !small_padding(problem)) {
    return "padding that is large or not finite is not claimed";
  }
  return std::nullopt;
}

void validate(const Claim& claim) {
  const auto refuse = [](const char* what) { throw InputError("claim", what); };
  if (claim.conditions.none()) refuse("conditions: none is left");
  if (claim.min_world < 1 || claim.max_world > kMaxWorldSize || claim.min_world > claim.max_world) {
    throw InputError("claim", "world: " + std::to_string(claim.min_world) + ".." +
                                  std::to_string(claim.max_world) + " is no range within 1.." +
                                  std::to_string(kMaxWorldSize));
  }
  if (claim.levels < 1) refuse("levels: has to be 1 or more");
  if (claim.roundings && *claim.roundings < 0) refuse("roundings: has to be 0 or more");
  if (claim.target == Target::mean_over_ranks && claim.input != InputForm::local_mean) {
    refuse("target mean-over-ranks needs input local-mean");
  }
  if (claim.accumulation == Accumulation::running_mean) {
    if (claim.input != InputForm::local_mean || claim.target == Target::sum) {
      refuse("accumulation running-mean needs input local-mean and a mean as target");
    }
    if (claim.summation == Summation::tree) {
      refuse("accumulation running-mean is not summation tree");
    }
  }
}

}  // namespace shardproof
