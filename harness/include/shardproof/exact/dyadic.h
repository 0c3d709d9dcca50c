#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace shardproof {

/// An exact number sign * magnitude * 2^exponent, of any size. Value zero has no limbs.
///
/// Limbs are little-endian base 2^64; a few stand inline, so that usual values allocate nothing.
class Dyadic {
 public:
  Dyadic() = default;
  /// \pre `value` is finite
  explicit Dyadic(double value);
  /// \param limbs  magnitude, little-endian; leading zeros are dropped
  Dyadic(bool negative, std::span<const std::uint64_t> limbs, int exponent);

  [[nodiscard]] bool zero() const { return size_ == 0; }
  [[nodiscard]] bool negative() const { return negative_; }
  [[nodiscard]] int exponent() const { return exponent_; }
  [[nodiscard]] std::span<const std::uint64_t> limbs() const;

  /// Upper bound of |value|, at most one part in 2^50 above it; infinity beyond the binary64 range.
  [[nodiscard]] double magnitude_up() const;
  /// Lower bound of |value|, at most one part in 2^50 below it (or below 2^-1022: zero).
  [[nodiscard]] double magnitude_down() const;

  /// Equal as numbers, however they are written.
  friend bool operator==(const Dyadic& a, const Dyadic& b);

 private:
  static constexpr int kInline = 6;
  bool negative_ = false;
  int exponent_ = 0;
  int size_ = 0;
  std::array<std::uint64_t, kInline> inline_{};
  std::vector<std::uint64_t> heap_;  // holds the limbs where more than kInline are needed
};

}  // namespace shardproof
