#include <algorithm>
#include <array>

#include "fit.h"
#include "plan.h"

namespace shardproof {
namespace {

/// Families, as often as they stand here. The rare ones are often not judgeable.
constexpr std::array kFamilies{
    ValueFamily::small_integer,  ValueFamily::small_integer,  ValueFamily::small_integer,
    ValueFamily::small_integer,  ValueFamily::small_integer,  ValueFamily::power_of_two,
    ValueFamily::power_of_two,   ValueFamily::dense_normal,   ValueFamily::dense_normal,
    ValueFamily::dense_normal,   ValueFamily::dense_normal,   ValueFamily::dense_positive,
    ValueFamily::dense_positive, ValueFamily::dense_positive, ValueFamily::wide_exponent,
    ValueFamily::wide_exponent,  ValueFamily::cancelling,     ValueFamily::cancelling,
    ValueFamily::subnormal,      ValueFamily::near_overflow};

/// One allowed condition, and of the others that go with it some.
ConditionSet draw_conditions(Source& source, const Space& space) {
  std::vector<Condition> allowed;
  for (const Condition condition : kAllConditions) {
    if (space.admits({condition})) allowed.push_back(condition);
  }
  const Condition first = source.pick(std::span<const Condition>(allowed));
  ConditionSet drawn{first};
  if (first == Condition::equal) return drawn;
  for (const Condition condition : allowed) {
    if (condition == Condition::equal || !source.chance(1, 3)) continue;
    ConditionSet more = drawn;
    more.insert(condition);
    if (space.admits(more)) drawn = more;
  }
  return with_companions(drawn, space.shapes.rows);
}

/// Mostly up to 8 ranks; now and then the fewest or any number that is allowed.
int draw_world(Source& source, int size, const Space& space, ConditionSet wanted) {
  constexpr int kUsual = 8;
  const int low = space.least_world(wanted);
  if (source.chance(1, 16)) return low;
  int high = std::max(low, 2 + size * (kUsual - 2) / 100);
  if (size >= 50 && source.chance(1, 16)) high = space.max_world;
  return space.world_from(low, source.between(low, std::clamp(high, low, space.max_world)));
}

/// The least half of the time, else any.
int least_or_any(Source& source, const SizeRange& range) {
  return source.chance(1, 2) ? range.low : source.between(range.low, range.high);
}

std::vector<Split> draw_steps(Source& source, int size, const Space& space, bool single_step) {
  const ConditionSet wanted = draw_conditions(source, space);
  const int world = draw_world(source, size, space, wanted);
  const bool large = world > 8;  // then the rest is small: the cost of a trial stays bounded
  const Shapes& shapes = space.shapes;
  const int micro_batches =
      least_or_any(source, drawn_range(shapes.micro_batches, {1, large ? 2 : 1 + size * 3 / 100}));
  const SizeRange of_steps = drawn_range(shapes.steps, {1, large ? 1 : 1 + (size + 25) / 60});
  const int steps = single_step ? of_steps.low : least_or_any(source, of_steps);
  const int max_rows = large ? 3 : source.between(1, 2 + size * 4 / 100);
  SplitRequest request{.conditions = wanted,
                       .world = world,
                       .max_rows = max_rows + std::max(0, shapes.rows.low - 1),
                       .rows = shapes.rows};
  request.micro_batches = std::max(micro_batches, least_micro_batches(wanted, world));
  std::vector<Split> splits;
  for (int step = 0; step < steps; ++step) splits.push_back(draw_split(source, request));
  return splits;
}

/// What NUMERICS 3 advises where a format has few bits: with few rows, and few ranks that are not
/// zero, a denominator that is off by one still moves a result by more than rounding may.
struct Remedy {
  int most_size;     ///< of seven cases in eight
  int few_ranks_of;  ///< one case in so many leaves few ranks other than zero
};

Remedy remedy(Dtype dtype) {
  const int bits = format(dtype).precision;
  if (bits <= 8) return {.most_size = 40, .few_ranks_of = 2};
  if (bits <= 11) return {.most_size = 100, .few_ranks_of = 3};
  return {.most_size = 100, .few_ranks_of = 8};
}

ModelLimits model_limits(Source& source, int size, int world, const Shapes& shapes) {
  const SizeRange features = drawn_range(shapes.features, {1, 1 + (size + 25) * 3 / 125});
  const SizeRange layers = drawn_range(shapes.layers, {1, source.chance(1, 12) ? 6 : 3});
  const SizeRange outputs =
      drawn_range(shapes.outputs, {1, world > 8 ? 2 : 1 + (size + 50) * 2 / 150});
  return {.features = features.high,
          .layers = layers.high,
          .outputs = outputs.high,
          .least_features = features.low,
          .least_layers = layers.low,
          .least_outputs = outputs.low,
          .biases = shapes.biases};
}

}  // namespace

Plan random_plan(Source& source, int size, const Space& space) {
  Plan plan{.dtype = source.pick(std::span<const Dtype>(space.dtypes)),
            .family = source.pick(std::span<const ValueFamily>(kFamilies)),
            .padding = space.padding};
  const Remedy advised = remedy(plan.dtype);
  if (size > advised.most_size && !source.chance(1, 8)) size = advised.most_size;
  // After a step along gradients near overflow the next one is beyond it.
  const bool always_more_steps = space.shapes.steps.low > 1;
  if (always_more_steps && plan.family == ValueFamily::near_overflow) {
    plan.family = ValueFamily::dense_normal;
  }
  plan.steps = draw_steps(source, size, space, plan.family == ValueFamily::near_overflow);
  const int world = static_cast<int>(plan.steps.front().shards.size());
  plan.model = draw_model_shape(source, model_limits(source, size, world, space.shapes));
  plan.learning_rate = draw_learning_rate(source, plan.dtype);
  plan.absent_layers = source.chance(1, 3) && space.shapes.absent;
  if (source.chance(1, 2)) plan.arrival = draw_arrival(source, world);
  if (plan.family <= ValueFamily::dense_normal && source.chance(1, advised.few_ranks_of)) {
    constexpr std::array kSpreads{Spread::one_rank, Spread::two_ranks, Spread::one_element};
    plan.spread = source.pick(std::span<const Spread>(kSpreads));
  }
  return plan;
}

}  // namespace shardproof
