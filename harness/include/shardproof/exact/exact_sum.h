#pragma once

#include <array>
#include <cstdint>

#include "shardproof/exact/dyadic.h"

namespace shardproof {

/// An exact sum of binary64 terms with integer weights, and of dyadic numbers.
///
/// Positive and negative terms are kept apart in fixed-width limbs that span far more than the
/// binary64 range (2^-3456 to beyond 2^+3072, the range of triple products, with 128 bits of
/// headroom), so no term is rounded and none overflows. Only the limbs in use are cleared and
/// compared.
class ExactSum {
 public:
  ExactSum() = default;

  /// Adds weight * value. \pre `value` is finite
  void add(double value, std::uint64_t weight = 1);
  /// Adds weight * value, or its negation.
  /// \throws std::range_error  when a bit of it lies outside the range of the sum
  void add(const Dyadic& value, std::uint64_t weight = 1, bool negate = false);

  /// -1, 0 or 1: the sign of the whole sum.
  [[nodiscard]] int sign() const;
  /// The whole sum, the sum of its positive terms, and minus the sum of its negative terms.
  [[nodiscard]] Dyadic total() const;
  [[nodiscard]] Dyadic positive() const;
  [[nodiscard]] Dyadic negative() const;
  /// Bounds of the two parts from above, without building a Dyadic (at most one part in 2^50
  /// above).
  [[nodiscard]] double positive_up() const;
  [[nodiscard]] double negative_up() const;

  void clear();
};

}  // namespace shardproof
