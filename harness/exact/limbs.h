#pragma once

#include <bit>
#include <cstdint>
#include <span>

namespace shardproof::limbs {

using Uint128 = unsigned __int128;

/// (-1)^negative * mantissa * 2^exponent; the mantissa has at most 53 bits.
struct Parts {
  bool negative;
  std::uint64_t mantissa;
  int exponent;
};

/// \pre `value` is finite
inline Parts split(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto field = static_cast<int>((bits >> 52) & 0x7ff);
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
  const std::uint64_t hidden = field == 0 ? 0 : std::uint64_t{1} << 52;
  return {(bits >> 63) != 0, fraction | hidden, (field == 0 ? 1 : field) - 1075};
}

/// Number of bits up to the highest one that is set; 0 for zero.
/// \param magnitude  little-endian, the last limb not zero
inline int bit_length(std::span<const std::uint64_t> magnitude) {
  if (magnitude.empty()) return 0;
  return static_cast<int>(magnitude.size()) * 64 - std::countl_zero(magnitude.back());
}

enum class Direction { up, down };

/// magnitude * 2^exponent rounded once to binary64 in the given direction. Up ends at infinity,
/// down at the largest finite number.
double rounded(std::span<const std::uint64_t> magnitude, int exponent, Direction direction);

}  // namespace shardproof::limbs
