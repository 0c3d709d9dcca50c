#pragma once

#include <array>
#include <functional>
#include <string_view>

#include "shardproof/case/claim.h"
#include "shardproof/case/dtype.h"
#include "shardproof/generators/source.h"

namespace shardproof {

/// What kind of numbers a case is filled with; one family for a whole case (NUMERICS 1.8 and the
/// list of point 5). Every value is finite and representable in the case's dtype.
enum class ValueFamily {
  small_integer,   ///< sums of products are exact: a fault cannot hide behind rounding
  power_of_two,    ///< with exponents of -4 .. 4: products are exact
  dense_positive,  ///< full significands; all contributions have one sign
  dense_normal,    ///< full significands, either sign
  wide_exponent,   ///< exponents as far apart as the gradients of all steps stay finite
  cancelling,      ///< targets close to predictions, or rows whose gradients nearly cancel
  subnormal,       ///< targets and parameters around and below the smallest normal value
  near_overflow,   ///< targets within a factor of 2^8 of the largest value
};

inline constexpr std::array kAllValueFamilies{
    ValueFamily::small_integer, ValueFamily::power_of_two,  ValueFamily::dense_positive,
    ValueFamily::dense_normal,  ValueFamily::wide_exponent, ValueFamily::cancelling,
    ValueFamily::subnormal,     ValueFamily::near_overflow};

/// `small integer`, ...
std::string_view name(ValueFamily family);

/// Draws the numbers of one case: inputs x, parameters w and b, targets y.
struct Palette {
  ValueFamily family = ValueFamily::small_integer;
  Dtype dtype = Dtype::f32;
  int steps = 1;  ///< of the case: parameters grow from step to step, which narrows wide exponents

  [[nodiscard]] double input(Source& source) const;
  [[nodiscard]] double parameter(Source& source) const;
  [[nodiscard]] double target(Source& source) const;
};

/// The largest magnitude of garbage that is finite: a leak shows and nothing overflows.
inline constexpr double kLargestPadding = 512;

/// Garbage for a padded row. Finite: of magnitude 1 to 512 (16 in f16). Any: now and then NaN,
/// infinite or as large as the dtype holds.
double draw_padding(Source& source, PaddingContent content, Dtype dtype);

/// A learning rate in (0, 1]: a power of two more often than not.
double draw_learning_rate(Source& source, Dtype dtype);

/// Whether `a` is strictly simpler than `b`: zero, then small integers, then values of few
/// significant bits and an exponent near 0, then infinities, then NaN; + before -.
bool is_simpler(double a, double b);

/// Hands strictly simpler values to `visit`, boldest first, until it returns false. Not every one
/// is a value of every dtype.
void for_each_simpler(double value, const std::function<bool(double)>& visit);

}  // namespace shardproof
