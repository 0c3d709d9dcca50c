#pragma once

#include <optional>

#include "judge/element.h"
#include "shardproof/exact/bound.h"
#include "shardproof/judge/trial.h"

namespace shardproof {

/// The smallest relative scaling error s > 0 of one element that is certain to be refuted: a
/// reducer whose exact result is (1 + s) E (or (1 - s) E), computed within its own bound (1 + s) B,
/// returns nothing that the reference E with bound B accepts (NUMERICS amendment 16). Rounded up;
/// infinity where no s is certain to show.
double smallest_visible_error(const ElementReference& reference, const Arithmetic& arithmetic,
                              Dtype output);

/// How small a mistake a trial could have seen.
struct Power {
  /// The smallest relative error of a common scale of all its values that was certain to show.
  double smallest_error = 0;
  /// Whether a denominator that is off by one (of the valid rows or of the ranks) could have passed
  /// in every step.
  bool weak = false;
};

/// \return nothing where no gradient was compared with the reference, or one was refuted
std::optional<Power> power_of(const Trial& trial);

}  // namespace shardproof
