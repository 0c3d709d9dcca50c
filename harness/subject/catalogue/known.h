#pragma once

#include <vector>

#include "shardproof/subject/fault_catalogue.h"

namespace shardproof {

// One function a file: appends its known faults.
void add_known_scales(std::vector<KnownFault>& all);
void add_known_weights(std::vector<KnownFault>& all);
void add_known_terms(std::vector<KnownFault>& all);
void add_known_values(std::vector<KnownFault>& all);

/// The fault in which a mean weighs factor times / over, where the trigger holds.
inline Fault weighing(std::vector<Count> times, std::vector<Count> over = {},
                      const Trigger& when = {}) {
  return {Weigh{.term = Weight{.times = std::move(times), .over = std::move(over)}}, when};
}

/// factor / divisor times the right result.
inline Fault scaled(std::uint64_t factor, std::uint64_t divisor) {
  Weight weight = right_weight();
  weight.factor = factor;
  weight.divisor = divisor;
  return {Weigh{.term = weight}, {}};
}

/// The own means alone, with that weight.
inline Fault unreduced(std::vector<Count> times, std::vector<Count> over) {
  return {
      Weigh{.own = Weight{.times = std::move(times), .over = std::move(over)}, .own_alone = true},
      {}};
}

}  // namespace shardproof
