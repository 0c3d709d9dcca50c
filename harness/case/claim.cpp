#include "shardproof/case/claim.h"

#include <cmath>

#include "case/claim_sizes.h"
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

void validate_worlds(const Claim& claim) {
  const SizeRange range{claim.min_world, claim.max_world};
  if (range.low < 1 || range.high > kMaxWorldSize || range.low > range.high) {
    throw InputError("claim", "world: " + std::to_string(range.low) + ".." +
                                  std::to_string(range.high) + " is no range within 1.." +
                                  std::to_string(kMaxWorldSize));
  }
  for (std::size_t size = 0; size < claim.left_out_worlds.size(); ++size) {
    const int world = static_cast<int>(size);
    if (claim.left_out_worlds.test(size) && (world <= range.low || world >= range.high)) {
      throw InputError("claim", "world: " + std::to_string(world) +
                                    " is left out, but does not lie between the others");
    }
  }
}

void validate_shapes(const Shapes& shapes) {
  constexpr Shapes kAll;
  for (const SizeField& field : size_fields()) {
    const SizeRange& range = shapes.*field.range;
    const SizeRange& all = kAll.*field.range;
    if (range.low <= range.high && all.holds(range.low) && all.holds(range.high)) continue;
    throw InputError("claim", std::string(field.key) + ": " + std::to_string(range.low) + ".." +
                                  std::to_string(range.high) + " is no range within " +
                                  std::to_string(all.low) + ".." + std::to_string(all.high));
  }
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
  if (!claim.takes_world(ranks)) {
    const std::string claimed =
        claim.left_out_worlds.none()
            ? std::to_string(claim.min_world) + " to " + std::to_string(claim.max_world)
            : write_worlds(claim);
    return "world size " + std::to_string(ranks) + " is not claimed (" + claimed + ")";
  }
  if (auto why = outside_of(claim.shapes, problem)) return why;
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

void Claim::set_worlds(const std::bitset<kMaxWorldSize + 1>& sizes) {
  min_world = 1;
  while (!sizes.test(static_cast<std::size_t>(min_world))) ++min_world;
  max_world = kMaxWorldSize;
  while (!sizes.test(static_cast<std::size_t>(max_world))) --max_world;
  left_out_worlds.reset();
  for (int size = min_world; size < max_world; ++size) {
    const auto bit = static_cast<std::size_t>(size);
    left_out_worlds.set(bit, !sizes.test(bit));
  }
}

void validate(const Claim& claim) {
  const auto refuse = [](const char* what) { throw InputError("claim", what); };
  if (claim.conditions.none()) refuse("conditions: none is left");
  validate_worlds(claim);
  validate_shapes(claim.shapes);
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
