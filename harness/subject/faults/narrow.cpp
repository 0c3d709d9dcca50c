#include "subject/faults/narrow.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace shardproof {

double half_in_memory(std::span<const double> leaf, std::size_t at) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(leaf[at / 2]));
  const std::uint32_t half = at % 2 == 0 ? bits & 0xFFFFU : bits >> 16U;
  const std::uint32_t fraction = half & 0x3FFU;
  const int exponent = static_cast<int>(half >> 10U & 0x1FU);
  double magnitude = 0;
  if (exponent == 0x1F) {
    magnitude = fraction == 0 ? std::numeric_limits<double>::infinity()
                              : std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    magnitude = std::ldexp(fraction, -24);
  } else {
    magnitude = std::ldexp(fraction + 0x400U, exponent - 25);
  }
  return (half & 0x8000U) != 0 ? -magnitude : magnitude;
}

double largest_of(std::span<const double> values) {
  double largest = 0;
  for (const double value : values) {
    if (std::abs(value) > largest) largest = std::abs(value);
  }
  return largest;
}

double scale_of(std::span<const double> values) {
  const double largest = largest_of(values);
  if (largest == 0 || !std::isfinite(largest)) return 1;
  return std::ldexp(1.0, std::ilogb(largest));
}

}  // namespace shardproof
