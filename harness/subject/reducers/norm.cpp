#include <algorithm>
#include <cmath>

#include "subject/reducers/rounded.h"

namespace shardproof {

std::optional<double> euclidean_norm(std::span<const double> values, Dtype dtype) {
  double largest = 0;
  double squares = 0;
  for (double value : values) {
    if (!std::isfinite(value)) return std::nullopt;
    largest = std::max(largest, std::abs(value));
    squares += value * value;
  }
  if (largest == 0) return 0.0;
  // Within these no sum of squares of kMaxElements values overflows, and squares that underflow
  // are far below the last bit of the largest one.
  if (largest > 0x1p480 || largest < 0x1p-480) return std::nullopt;
  const double norm = round_to(dtype, std::sqrt(squares));
  if (norm > format(dtype).largest || norm < format(dtype).smallest_normal) return std::nullopt;
  return norm;
}

}  // namespace shardproof
