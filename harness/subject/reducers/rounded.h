#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "shardproof/case/dtype.h"

namespace shardproof {

/// What travels between ranks: [valid count, loss, gradient...]. The count is an exact integer in
/// double and never rounded.
inline constexpr std::size_t kCountAt = 0;
inline constexpr std::size_t kLossAt = 1;
inline constexpr std::size_t kGradientAt = 2;

/// Adds `terms` to the elements of `buffer` from `at` on, each sum rounded once.
inline void add_rounded(Dtype dtype, std::span<double> buffer, std::size_t at,
                        std::span<const double> terms) {
  std::size_t i = 0;
  if (at == kCountAt && !terms.empty()) {
    buffer[kCountAt] += terms[0];
    i = 1;
  }
  double* const sums = buffer.data() + at;
  for (; i < terms.size(); ++i) sums[i] = round_to(dtype, sums[i] + terms[i]);
}

/// Multiplies / divides loss and gradient, each result rounded once.
inline void multiply_rounded(Dtype dtype, std::span<double> buffer, double factor) {
  for (double& value : buffer.subspan(kLossAt)) value = round_to(dtype, value * factor);
}
inline void divide_rounded(Dtype dtype, std::span<double> buffer, double divisor) {
  for (double& value : buffer.subspan(kLossAt)) value = round_to(dtype, value / divisor);
}

/// What a norm is made of; those of parts of a tree can be added up.
struct Squares {
  double sum = 0;      ///< in double
  double largest = 0;  ///< of the magnitudes; NaN where a value is not finite
};
Squares squares_of(std::span<const double> values);

/// The root of a sum of squares, rounded; nothing where `euclidean_norm` gives nothing.
std::optional<double> root_of(const Squares& squares, Dtype dtype);

/// Euclidean norm rounded to `dtype`: the root of the sum of squares in double. Nothing where that
/// could overflow, underflow or lose bits as a subnormal, or where a value is not finite.
std::optional<double> euclidean_norm(std::span<const double> values, Dtype dtype);

}  // namespace shardproof
