#include "shardproof/case/claim.h"

#include <cmath>

#include "shardproof/case/error.h"

namespace shardproof {
namespace {

/// Padding that is "finite": no product or sum of a step's few rows comes near overflow in f32
/// (NUMERICS, amendments 11 and 14).
constexpr double kLargestFinitePadding = 1e6;

bool small_padding(const std::vector<double>& values, const MicroBatch& rows, int columns) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (rows.mask[i / static_cast<std::size_t>(columns)] != 0) continue;
    if (!(std::fabs(values[i]) <= kLargestFinitePadding)) return false;
  }
  return true;
}

bool small_padding(const Case& problem) {
  const int outputs = problem.model.outputs();
  for (const Step& step : problem.steps) {
    for (const Shard& shard : step.shards) {
      for (const MicroBatch& rows : shard.micro_batches) {
        if (!small_padding(rows.x, rows, problem.model.features) ||
            !small_padding(rows.y, rows, outputs)) {
          return false;
        }
      }
    }
  }
  return true;
}

}  // namespace

std::optional<std::string> excluded_by(const Claim& claim, const Case& problem) {
  const int ranks = problem.world_size().value;
  if (ranks < claim.min_world || ranks > claim.max_world) {
    return "world size " + std::to_string(ranks) + " is not claimed (" +
           std::to_string(claim.min_world) + " to " + std::to_string(claim.max_world) + ")";
  }
  if (claim.only_dtype && *claim.only_dtype != problem.dtype) {
    return "dtype " + std::string(name(problem.dtype)) + " is not claimed";
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
