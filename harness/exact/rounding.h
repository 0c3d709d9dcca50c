#pragma once

#include <cstdint>
#include <limits>

#include "exact/magnitude.h"
#include "shardproof/case/dtype.h"

namespace shardproof {

/// The constants that a format and a rounding mode give to an error bound (NUMERICS 0, F1; 1.3,
/// last lines). v = u/(1+u) is bounded by u, larger by one part in 2^p only.
struct RoundingConstants {
  Magnitude u;          ///< relative error of a sum, and of a product
  Magnitude underflow;  ///< absolute error of an inexact underflow: om/2, or om if only faithful
};

inline RoundingConstants rounding_constants(Dtype dtype, bool faithful) {
  const Format& f = format(dtype);
  if (faithful) return {Magnitude{2 * f.unit_roundoff}, Magnitude{f.smallest_subnormal}};
  // om/2 of binary64 is not a binary64 value; om stands for it.
  const double half = f.smallest_subnormal / 2;
  return {Magnitude{f.unit_roundoff}, Magnitude{half > 0 ? half : f.smallest_subnormal}};
}

/// (1 + u)^m - 1 <= m u (1 + 2 m u) where m u <= 1/2; infinity beyond.
inline Magnitude compound(Magnitude u, std::int64_t m) {
  const Magnitude mu = Magnitude{static_cast<double>(m)} * u;
  if (mu.value() > 0.5) return Magnitude{std::numeric_limits<double>::infinity()};
  return mu * (kOne + Magnitude{2.0} * mu);
}

}  // namespace shardproof
