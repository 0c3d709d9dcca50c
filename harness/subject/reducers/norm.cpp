#include <algorithm>
#include <cmath>
#include <limits>

#include "subject/reducers/rounded.h"

namespace shardproof {

Squares squares_of(std::span<const double> values) {
  Squares squares;
  for (double value : values) {
    if (!std::isfinite(value)) return {.largest = std::numeric_limits<double>::quiet_NaN()};
    squares.largest = std::max(squares.largest, std::abs(value));
    squares.sum += value * value;
  }
  return squares;
}

std::optional<double> root_of(const Squares& squares, Dtype dtype) {
  if (std::isnan(squares.largest)) return std::nullopt;
  if (squares.largest == 0) return 0.0;
  // Within these no sum of squares of kMaxElements values overflows, and squares that underflow
  // are far below the last bit of the largest one.
  if (squares.largest > 0x1p480 || squares.largest < 0x1p-480) return std::nullopt;
  const double norm = round_to(dtype, std::sqrt(squares.sum));
  if (norm > format(dtype).largest || norm < format(dtype).smallest_normal) return std::nullopt;
  return norm;
}

std::optional<double> euclidean_norm(std::span<const double> values, Dtype dtype) {
  return root_of(squares_of(values), dtype);
}

}  // namespace shardproof
