#include "space.h"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <string>

#include "shardproof/case/claim_setting.h"
#include "shardproof/case/error.h"
#include "shardproof/generators/splits.h"

namespace shardproof {
namespace {

std::string range(int low, int high) { return std::to_string(low) + ".." + std::to_string(high); }

std::vector<Dtype> wanted_dtypes(const Claim& claim, const DrawOptions& options) {
  if (!options.dtypes.empty()) return options.dtypes;
  if (claim.only_dtype) return {*claim.only_dtype};
  return {Dtype::f32, Dtype::f64};
}

/// 16-bit contributions need a claim that says in which dtype they are summed.
void check_accumulate(const Claim& claim, std::span<const Dtype> dtypes) {
  if (claim.accumulate || claim.accumulates_in_16_bits) return;
  for (const Dtype dtype : dtypes) {
    const Dtype gradient = claim.gradient.value_or(dtype);
    if (!has_16_bits(gradient)) continue;
    const std::string said(name(gradient));
    throw InputError("dtypes", said + " asked for, but the claim does not say in which dtype " +
                                   said + " is summed: accumulate=f32, accumulate=case, ...");
  }
}

std::vector<Dtype> allowed_dtypes(const Claim& claim, const DrawOptions& options) {
  std::vector<Dtype> allowed;
  std::string given;
  for (const Dtype dtype : wanted_dtypes(claim, options)) {
    given += (given.empty() ? "" : ", ") + std::string(name(dtype));
    const bool twice = std::find(allowed.begin(), allowed.end(), dtype) != allowed.end();
    if (!twice && claim.only_dtype.value_or(dtype) == dtype) allowed.push_back(dtype);
  }
  if (allowed.empty()) {
    throw InputError("dtypes", given + " asked for, but the claim takes " +
                                   std::string(name(*claim.only_dtype)) + " only");
  }
  check_accumulate(claim, allowed);
  return allowed;
}

ConditionSet allowed_conditions(const Claim& claim, const DrawOptions& options) {
  ConditionSet allowed;
  for (const Condition condition : kAllConditions) {
    if (claim.conditions.contains(condition) && options.conditions.contains(condition)) {
      allowed.insert(condition);
    }
  }
  if (options.conditions.none()) throw InputError("conditions", "none is given");
  if (allowed.none()) {
    throw InputError("conditions", describe(options.conditions) +
                                       " asked for, but the claim admits " +
                                       describe(claim.conditions) + " only");
  }
  return allowed;
}

void limit_world(const Claim& claim, const DrawOptions& options, Space& space) {
  if (options.min_world < 1 || options.max_world > kMaxWorldSize ||
      options.min_world > options.max_world) {
    throw InputError("world", range(options.min_world, options.max_world) + " is no range within " +
                                  range(1, kMaxWorldSize));
  }
  space.left_out_worlds = claim.left_out_worlds;
  space.min_world = std::max(claim.min_world, options.min_world);
  space.max_world = std::min(claim.max_world, options.max_world);
  const auto left_out = [&](int size) {
    return space.min_world <= space.max_world && !space.takes_world(size);
  };
  while (left_out(space.min_world)) ++space.min_world;
  while (left_out(space.max_world)) --space.max_world;
  if (space.min_world > space.max_world) {
    throw InputError("world", range(options.min_world, options.max_world) +
                                  " asked for, but the claim admits " + setting(claim, "world"));
  }
}

/// Whether every format on the way holds the largest values of `dtype`.
bool holds_largest(const Claim& claim, Dtype dtype) {
  const RoleDtypes roles = role_dtypes(claim, dtype);
  const std::array on_the_way{roles.gradient, roles.accumulate, roles.output,
                              roles.wire.value_or(roles.accumulate)};
  return std::all_of(on_the_way.begin(), on_the_way.end(),
                     [=](Dtype role) { return format(role).largest >= format(dtype).largest; });
}

/// Some allowed condition has to be possible.
void check_conditions(const Space& space) {
  const auto possible = [&](Condition condition) { return space.admits({condition}); };
  if (std::any_of(kAllConditions.begin(), kAllConditions.end(), possible)) return;
  if (space.conditions == ConditionSet{Condition::empty} && space.max_world < 2) {
    throw InputError("conditions",
                     "an empty rank beside one with rows needs a world of 2 or more, but the world "
                     "is " +
                         range(space.min_world, space.max_world));
  }
  const SizeRange& rows = space.shapes.rows;
  throw InputError("conditions",
                   describe(space.conditions) + " cannot hold with " + range(rows.low, rows.high) +
                       " rows, at most " + std::to_string(space.shapes.micro_batches.high) +
                       " micro-batches and at most " + std::to_string(space.max_world) + " ranks");
}

}  // namespace

bool is_power_of_two(int number) { return std::has_single_bit(static_cast<unsigned>(number)); }

int Space::least_world() const {
  int least = max_world;
  for (const Condition condition : kAllConditions) {
    if (admits({condition})) least = std::min(least, least_world({condition}));
  }
  return least;
}

int Space::least_world(ConditionSet wanted) const {
  const ConditionSet all = with_companions(wanted, shapes.rows);
  int world = std::max(min_world, shardproof::least_world(all, shapes.micro_batches.high));
  while (world < max_world && !takes_world(world)) ++world;
  return world;
}

int Space::world_from(int least, int wish) const {
  for (int away = 0; away <= kMaxWorldSize; ++away) {
    if (wish + away >= least && takes_world(wish + away)) return wish + away;
    if (wish - away >= least && takes_world(wish - away)) return wish - away;
  }
  return max_world;
}

int Space::world_no_power_of_two(int wish) const {
  const int first = std::max(wish, least_world());
  for (int world = first; world <= max_world; ++world) {
    if (!is_power_of_two(world) && takes_world(world)) return world;
  }
  for (int world = std::min(first, max_world); world >= least_world(); --world) {
    if (!is_power_of_two(world) && takes_world(world)) return world;
  }
  return 0;
}

int Space::world_near(int wish, ConditionSet wanted) const {
  return world_from(wanted.none() ? least_world() : least_world(wanted), wish);
}

bool Space::admits(ConditionSet wanted) const {
  const ConditionSet all = with_companions(wanted, shapes.rows);
  return conditions.contains_all(all) && rows_admit(all, shapes.rows) &&
         shardproof::least_world(all, shapes.micro_batches.high) <= max_world;
}

ConditionSet Space::widest(int world) const {
  ConditionSet widest;
  for (const Condition condition : {Condition::unequal, Condition::padded, Condition::empty}) {
    ConditionSet wider = widest;
    wider.insert(condition);
    if (admits(wider) && least_world(wider) <= world) {
      widest = with_companions(wider, shapes.rows);
    }
  }
  return widest.none() ? ConditionSet{Condition::equal} : widest;
}

Space draw_space(const Claim& claim, const DrawOptions& options) {
  Space space{.dtypes = allowed_dtypes(claim, options),
              .conditions = allowed_conditions(claim, options),
              .padding = claim.padding,
              .shapes = claim.shapes};
  std::copy_if(space.dtypes.begin(), space.dtypes.end(), std::back_inserter(space.full_range),
               [&](Dtype dtype) { return holds_largest(claim, dtype); });
  limit_world(claim, options, space);
  check_conditions(space);
  return space;
}

}  // namespace shardproof
