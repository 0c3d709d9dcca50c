#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

namespace shardproof {

/// A binary floating-point format. Every finite value of each is a binary64 value too.
enum class Dtype { f64, f32, bf16, f16 };

/// The constants of a format, as the error bounds use them (all exact binary64 values).
struct Format {
  int precision;              ///< bits of the significand, the hidden one counted
  int min_exponent;           ///< exponent of the smallest normal value
  double unit_roundoff;       ///< 2^-precision
  double smallest_normal;     ///< 2^min_exponent
  double smallest_subnormal;  ///< 2^(min_exponent - precision + 1)
  double largest;             ///< the largest finite value
};

/// \return the constants of `dtype`
const Format& format(Dtype dtype);

namespace narrow {

/// Rounds once to a format of so many bits and exponents, ties to even, subnormals included.
///
/// Above the subnormals the dropped bits of the binary64 significand are rounded as an integer,
/// whose carry goes into the exponent as it should; below, adding 2^52 units makes binary64 itself
/// round to whole units (in rounding to nearest, which every trial begins with).
template <int precision, int min_exponent, int max_exponent>
inline double round(double value) {
  constexpr std::uint64_t kMagnitude = ~std::uint64_t{0} >> 1;
  constexpr int kDropped = 53 - precision;
  constexpr auto bits_of_power = [](int exponent) {
    return static_cast<std::uint64_t>(exponent + 1023) << 52;
  };
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t magnitude = bits & kMagnitude;
  const std::uint64_t sign = bits & ~kMagnitude;
  if (magnitude >= bits_of_power(1024)) return value;  // infinities and NaN
  if (magnitude < bits_of_power(min_exponent)) {
    constexpr auto kUnits = std::bit_cast<double>(bits_of_power(min_exponent - precision + 53));
    return std::copysign((std::abs(value) + kUnits) - kUnits, value);
  }
  const std::uint64_t odd = (magnitude >> kDropped) & 1U;
  const std::uint64_t half = (std::uint64_t{1} << (kDropped - 1)) - 1;
  std::uint64_t rounded = (magnitude + half + odd) >> kDropped << kDropped;
  if (rounded >= bits_of_power(max_exponent + 1)) rounded = bits_of_power(1024);
  return std::bit_cast<double>(sign | rounded);
}

}  // namespace narrow

/// `value` rounded once to the nearest value of `dtype`, ties to even; NaN stays NaN.
inline double round_to(Dtype dtype, double value) {
  switch (dtype) {
    case Dtype::f64:
      return value;
    case Dtype::f32:
      return static_cast<double>(static_cast<float>(value));
    case Dtype::bf16:
      return narrow::round<8, -126, 127>(value);
    case Dtype::f16:
      return narrow::round<11, -14, 15>(value);
  }
  return value;
}

/// Whether `value` is a value of `dtype` (NaN and infinities are).
inline bool representable(Dtype dtype, double value) {
  return value != value || round_to(dtype, value) == value;
}

/// The neighbour of `value` in `dtype` that is further up (towards +infinity), or further down.
double next_up(Dtype dtype, double value);
double next_down(Dtype dtype, double value);

/// Whether values of `dtype` take 16 bits.
inline bool has_16_bits(Dtype dtype) { return dtype == Dtype::bf16 || dtype == Dtype::f16; }

/// The one of fewer bits of significand.
inline Dtype coarser(Dtype a, Dtype b) {
  return format(a).precision <= format(b).precision ? a : b;
}

/// The bits that encode a value of `dtype`, in the low bits of the word.
/// \pre `value` is representable
std::uint64_t encoding(Dtype dtype, double value);

/// `f64`, `f32`, `bf16`, `f16`.
std::string_view name(Dtype dtype);

/// The dtype of that name, or nothing.
std::optional<Dtype> parse_dtype(std::string_view text);

/// Every dtype, in the order in which they are listed.
std::span<const Dtype> all_dtypes();

}  // namespace shardproof
