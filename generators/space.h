#pragma once

#include <bitset>
#include <vector>

#include "shardproof/case/claim.h"
#include "shardproof/generators/cases.h"

namespace shardproof {

/// What a claim and a user's options leave to draw from; nothing in it is empty.
struct Space {
  std::vector<Dtype> dtypes;
  ConditionSet conditions;
  int min_world = 1;
  int max_world = 1;
  PaddingContent padding = PaddingContent::finite;
  std::vector<Dtype> full_range{};  ///< those whose largest values fit the claimed formats
  std::bitset<kMaxWorldSize + 1> left_out_worlds{};  ///< of those between the smallest and largest
  Shapes shapes{};

  /// The smallest world size that can be drawn.
  [[nodiscard]] int least_world() const;
  /// The smallest one on which these conditions can hold. \pre they are admitted
  [[nodiscard]] int least_world(ConditionSet wanted) const;
  [[nodiscard]] bool takes_world(int size) const {
    return min_world <= size && size <= max_world &&
           !left_out_worlds.test(static_cast<std::size_t>(size));
  }
  /// The drawable world size from `least` on that is nearest to `wish`.
  [[nodiscard]] int world_from(int least, int wish) const;
  /// The drawable world size from `wish` on, or else the largest before it, that is no power of
  /// two; 0 where there is none.
  [[nodiscard]] int world_no_power_of_two(int wish) const;
  /// The allowed world size that is nearest to `wish` and admits the conditions (none: any that are
  /// allowed).
  [[nodiscard]] int world_near(int wish, ConditionSet wanted) const;
  /// Whether these conditions, with those that they bring along, are allowed and can hold on an
  /// allowed world and with allowed rows.
  [[nodiscard]] bool admits(ConditionSet wanted) const;
  /// All allowed conditions that can hold at once on `world` ranks: `equal` only where it is alone.
  [[nodiscard]] ConditionSet widest(int world) const;
};

bool is_power_of_two(int number);

/// \throws InputError  when nothing is left, naming what excludes it
Space draw_space(const Claim& claim, const DrawOptions& options);

}  // namespace shardproof
