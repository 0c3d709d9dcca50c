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
  /// \param limbs  magnitude, little-endian; zero limbs at either end are dropped
  Dyadic(bool negative, std::span<const std::uint64_t> limbs, int exponent);

  [[nodiscard]] bool zero() const { return size_ == 0; }
  [[nodiscard]] bool negative() const { return negative_; }
  [[nodiscard]] int exponent() const { return exponent_; }
  /// The lowest and the highest limb are not zero.
  [[nodiscard]] std::span<const std::uint64_t> limbs() const {
    if (size_ <= kInline) return std::span(inline_).first(static_cast<std::size_t>(size_));
    return heap_;
  }

  /// The least binary64 number that is not below |value|; infinity beyond their range.
  [[nodiscard]] double magnitude_up() const;
  /// The greatest finite binary64 number that is not above |value|.
  [[nodiscard]] double magnitude_down() const;

  /// Equal as numbers, however they are written.
  friend bool operator==(const Dyadic& a, const Dyadic& b);

 private:
  static constexpr int kInline = 6;
  bool negative_ = false;
  int exponent_ = 0;
  int size_ = 0;  // of the limbs, wherever they stand
  std::array<std::uint64_t, kInline> inline_{};
  std::vector<std::uint64_t> heap_;  // holds the limbs where more than kInline are needed
};

}  // namespace shardproof
