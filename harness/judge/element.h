#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "shardproof/exact/bound.h"
#include "shardproof/exact/dyadic.h"

namespace shardproof {

/// The exact value of one element, and how far a right result may lie from it before its last
/// rounding.
struct ElementReference {
  Dyadic numerator;
  std::uint64_t divisor = 1;
  double bound = 0;           ///< B; infinity: no finite result is refuted
  bool may_overflow = false;  ///< infinities and NaN are legal for some placement of the division
  std::optional<double> demanded = std::nullopt;  ///< a NaN or infinity that must come out
  bool unjudged = false;                          ///< nothing is proved about this element
};

/// Judges values of one element. All comparisons are exact: |value - E| against B plus half a gap.
class ElementJudge {
 public:
  ElementJudge(const ElementReference& reference, const Arithmetic& arithmetic, Dtype output)
      : reference_(reference), arithmetic_(arithmetic), output_(output) {}

  enum class Ruling { accepted, refuted, undecided };
  [[nodiscard]] Ruling rule(double value) const;

  /// The accepted value that lies furthest towards `value`. \pre `value` is refuted
  [[nodiscard]] double limit_towards(double value) const;
  /// Whether `value` lies above the exact value (NaN counts as above).
  [[nodiscard]] bool above(double value) const;

 private:
  [[nodiscard]] bool within(double value) const;

  const ElementReference& reference_;
  const Arithmetic& arithmetic_;
  Dtype output_;
};

}  // namespace shardproof
