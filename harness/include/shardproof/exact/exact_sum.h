#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "shardproof/exact/dyadic.h"

namespace shardproof {

/// An exact sum of binary64 terms with integer weights, and of dyadic numbers.
///
/// Positive and negative terms are kept apart in fixed-width limbs that span far more than the
/// binary64 range: 2^-4352 to 2^+4288, the range of weighted products of four, with 128 bits of
/// headroom, so no term is rounded and no sum overflows. Only the limbs in use cost time.
class ExactSum {
 public:
  ExactSum() = default;

  /// Adds weight * value. \pre `value` is finite
  void add(double value, std::uint64_t weight = 1);
  /// Adds weight * value, or its negation.
  /// \throws std::range_error  when a bit of it lies outside the range of the sum
  void add(const Dyadic& value, std::uint64_t weight = 1, bool negate = false);
  /// Adds a * b. \pre `a` and `b` are finite
  void add_product(double a, double b);
  /// \throws std::range_error  as `add`
  void add_product(double a, const Dyadic& b);
  /// \throws std::range_error  as `add`
  void add_product(const Dyadic& a, const Dyadic& b);

  /// -1, 0 or 1: the sign of the whole sum.
  [[nodiscard]] int sign() const;
  /// The whole sum, the sum of its positive terms, and minus the sum of its negative terms.
  [[nodiscard]] Dyadic total() const;
  [[nodiscard]] Dyadic positive() const;
  [[nodiscard]] Dyadic negative() const;
  /// The two parts rounded up to binary64, without building a Dyadic.
  [[nodiscard]] double positive_up() const;
  [[nodiscard]] double negative_up() const;

  void clear();

 private:
  static constexpr int kLowest = -4352;  // exponent of the lowest bit
  static constexpr int kHighest = 4288;  // no term reaches 2^kHighest
  // Up to 2^kHighest, and beyond it what carries and the tail of a shifted term may touch.
  static constexpr int kLimbs = (kHighest - kLowest) / 64 + 4;

  /// A sum of terms of one sign. Limbs outside [low, high) are zeros that are not written down.
  class Part {
   public:
    Part() = default;
    Part(const Part& other) { *this = other; }
    Part& operator=(const Part& other);

    /// Adds (high * 2^64 + low) * 2^position; positions count from kLowest.
    void add(std::uint64_t low, std::uint64_t high, int position);
    /// Adds weight * magnitude * 2^position.
    void add(std::span<const std::uint64_t> magnitude, std::uint64_t weight, int position);
    void clear() { low_ = high_ = 0; }

    [[nodiscard]] int low() const { return low_; }
    [[nodiscard]] int high() const { return high_; }
    [[nodiscard]] bool empty() const { return low_ == high_; }
    [[nodiscard]] std::uint64_t at(int limb) const {
      return limb < low_ || limb >= high_ ? 0 : limbs_[static_cast<std::size_t>(limb)];
    }
    [[nodiscard]] std::span<const std::uint64_t> limbs() const {
      return {limbs_.data() + low_, limbs_.data() + high_};
    }
    [[nodiscard]] int exponent() const { return kLowest + 64 * low_; }

   private:
    // Rare and kept out of line, so that the path of every term stays short.
    /// Writes zeros into the limbs of [from, to) that are not in use yet.
    [[gnu::noinline]] void extend(int from, int to);
    [[gnu::noinline]] void extend_and_add(std::uint64_t low, std::uint64_t high, int position);
    [[gnu::noinline]] void add_carry(int limb);

    int low_ = 0;
    int high_ = 0;
    std::array<std::uint64_t, kLimbs> limbs_;
  };

  void add_scaled(const Dyadic& value, std::uint64_t weight, int exponent, bool negate);

  Part positive_;
  Part negative_;
};

}  // namespace shardproof
