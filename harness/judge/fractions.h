#pragma once

#include <cstdint>
#include <numeric>
#include <optional>

#include "shardproof/subject/prediction.h"

namespace shardproof {

/// Weights up to here are binary64 numbers, and so are their parts.
inline constexpr std::uint64_t kLargestWeight = std::uint64_t{1} << 53;

/// In lowest terms; nothing beyond the limit or over zero.
inline std::optional<Fraction> product(Fraction a, Fraction b) {
  if (a.denominator == 0 || b.denominator == 0) return std::nullopt;
  if (a.numerator == 0 || b.numerator == 0) return Fraction{0, 1};
  const auto divide = [](std::uint64_t& top, std::uint64_t& bottom) {
    const std::uint64_t shared = std::gcd(top, bottom);
    top /= shared;
    bottom /= shared;
  };
  divide(a.numerator, a.denominator);
  divide(b.numerator, b.denominator);
  divide(a.numerator, b.denominator);
  divide(b.numerator, a.denominator);
  if (a.numerator > kLargestWeight / b.numerator ||
      a.denominator > kLargestWeight / b.denominator) {
    return std::nullopt;
  }
  return Fraction{a.numerator * b.numerator, a.denominator * b.denominator};
}

/// In lowest terms; nothing beyond the limit. \pre no denominator is zero
inline std::optional<Fraction> sum(Fraction a, Fraction b) {
  const std::uint64_t shared = std::gcd(a.denominator, b.denominator);
  const std::uint64_t left = b.denominator / shared;
  const std::uint64_t right = a.denominator / shared;
  if (a.denominator > kLargestWeight / left ||
      (a.numerator != 0 && left > kLargestWeight / a.numerator) ||
      (b.numerator != 0 && right > kLargestWeight / b.numerator)) {
    return std::nullopt;
  }
  return product({a.numerator * left + b.numerator * right, a.denominator * left}, {1, 1});
}

/// Least common multiple, or 0 beyond the limit.
inline std::uint64_t common_multiple(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t factor = b / std::gcd(a, b);
  return a > kLargestWeight / factor ? 0 : a * factor;
}

}  // namespace shardproof
