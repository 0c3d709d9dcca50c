#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace shardproof {

/// A binary floating-point format. Every finite value of each is a binary64 value too.
enum class Dtype { f64, f32 };

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

/// `value` rounded once to the nearest value of `dtype`, ties to even; NaN stays NaN.
inline double round_to(Dtype dtype, double value) {
  return dtype == Dtype::f32 ? static_cast<double>(static_cast<float>(value)) : value;
}

/// Whether `value` is a value of `dtype` (NaN and infinities are).
inline bool representable(Dtype dtype, double value) {
  return value != value || round_to(dtype, value) == value;
}

/// The neighbour of `value` in `dtype` that is further up (towards +infinity), or further down.
double next_up(Dtype dtype, double value);
double next_down(Dtype dtype, double value);

/// `f64`, `f32`.
std::string_view name(Dtype dtype);

/// The dtype of that name, or nothing.
std::optional<Dtype> parse_dtype(std::string_view text);

/// Every dtype, in the order in which they are listed.
std::span<const Dtype> all_dtypes();

}  // namespace shardproof
