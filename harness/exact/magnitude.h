#pragma once

#include <algorithm>
#include <compare>
#include <limits>

namespace shardproof {

/// A number that is not negative and never below the real number it stands for.
///
/// Each operation rounds to nearest and then moves up by at least half a unit in the last place of
/// the true result: for a normal x, RN(x (1 + 2^-52)) is at least the next value above x; for a
/// subnormal x the smallest subnormal is added. A chain of k operations is so at most about k 2^-51
/// too large.
class Magnitude {
 public:
  constexpr Magnitude() = default;
  /// \pre value >= 0 (or infinite), and exact
  constexpr explicit Magnitude(double value) : value_(value) {}

  [[nodiscard]] constexpr double value() const { return value_; }

  friend constexpr Magnitude operator+(Magnitude a, Magnitude b) {
    if (a.value_ == 0) return b;
    if (b.value_ == 0) return a;
    return up(a.value_ + b.value_);
  }
  friend constexpr Magnitude operator*(Magnitude a, Magnitude b) {
    if (a.value_ == 0 || b.value_ == 0) return Magnitude{};  // 0 times infinity is 0 here
    return up(a.value_ * b.value_);
  }
  /// \pre `divisor` > 0 and exact
  friend constexpr Magnitude operator/(Magnitude a, double divisor) {
    return a.value_ == 0 ? a : up(a.value_ / divisor);
  }
  constexpr Magnitude& operator+=(Magnitude other) { return *this = *this + other; }
  friend constexpr auto operator<=>(Magnitude, Magnitude) = default;

 private:
  static constexpr Magnitude up(double nearest) {
    return Magnitude{nearest * (1 + std::numeric_limits<double>::epsilon()) +
                     std::numeric_limits<double>::denorm_min()};
  }
  double value_ = 0;
};

inline constexpr Magnitude kOne{1.0};

}  // namespace shardproof
