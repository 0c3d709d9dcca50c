#include "shardproof/generators/values.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace shardproof {
namespace {

/// A value of magnitude 1 to just under 2 with a full significand, in units of 2^exponent.
double full_significand(Source& source, int exponent) {
  return std::ldexp(1 + source.unit(), exponent);
}

double dense(Source& source, Dtype dtype) {
  return round_to(dtype, full_significand(source, source.between(-3, 1)));
}

/// About normal: the sum of four uniform numbers, with mean 0 and variance 4/3.
double normal(Source& source, Dtype dtype) {
  const double sum = source.unit() + source.unit() + source.unit() + source.unit();
  return round_to(dtype, 2 * (sum - 2));
}

/// The loss of step s grows like 2^(4 s span), which has to stay finite.
int wide_span(const Palette& palette) {
  const int octaves = palette.dtype == Dtype::f64 ? 900 : palette.dtype == Dtype::f16 ? 12 : 96;
  return std::max(1, octaves / (4 * palette.steps));
}

double wide(Source& source, const Palette& palette) {
  const int span = wide_span(palette);
  return source.sign() *
         round_to(palette.dtype, full_significand(source, source.between(-span, span)));
}

double power_of_two(Source& source, Dtype dtype) {
  if (source.chance(1, 12)) return 0;
  const int reach = dtype == Dtype::f16 ? 2 : 4;  // products and sums of them have to stay finite
  return source.sign() * std::ldexp(1.0, source.between(-reach, reach));
}

/// Between the smallest subnormal and twice the smallest normal value.
double tiny(Source& source, Dtype dtype) {
  const Format& constants = format(dtype);
  if (source.chance(1, 2)) return constants.smallest_subnormal * source.between(-64, 64);
  const int lowest = constants.min_exponent - constants.precision + 1;
  const int exponent = source.between(lowest, constants.min_exponent);
  return source.sign() * round_to(dtype, full_significand(source, exponent));
}

double huge(Source& source, Dtype dtype) {
  constexpr int kOctaves = 8;
  const Format& constants = format(dtype);
  const int top = std::ilogb(constants.largest);
  const double magnitude = full_significand(source, source.between(top - kOctaves, top));
  return source.sign() * std::min(round_to(dtype, magnitude), constants.largest);
}

/// -reach .. reach, zero half as often as another.
double integer(Source& source, int reach) {
  const int value = source.between(-reach, reach);
  return value == 0 && source.chance(1, 2) ? 1 : value;
}

}  // namespace

std::string_view name(ValueFamily family) {
  switch (family) {
    case ValueFamily::small_integer:
      return "small integer";
    case ValueFamily::power_of_two:
      return "power of two";
    case ValueFamily::dense_positive:
      return "dense positive";
    case ValueFamily::dense_normal:
      return "dense normal";
    case ValueFamily::wide_exponent:
      return "wide exponent";
    case ValueFamily::cancelling:
      return "cancelling";
    case ValueFamily::subnormal:
      return "subnormal";
    case ValueFamily::near_overflow:
      return "near overflow";
  }
  return "";
}

double Palette::input(Source& source) const {
  switch (family) {
    case ValueFamily::power_of_two:
      return power_of_two(source, dtype);
    case ValueFamily::dense_positive:
      return dense(source, dtype);
    case ValueFamily::dense_normal:
    case ValueFamily::cancelling:
      return normal(source, dtype);
    case ValueFamily::wide_exponent:
      return wide(source, *this);
    default:
      return integer(source, 3);
  }
}

double Palette::parameter(Source& source) const {
  switch (family) {
    case ValueFamily::power_of_two:
      return power_of_two(source, dtype);
    case ValueFamily::dense_positive:
      return dense(source, dtype);
    case ValueFamily::dense_normal:
    case ValueFamily::cancelling:
      return normal(source, dtype);
    case ValueFamily::wide_exponent:
      return wide(source, *this);
    case ValueFamily::subnormal:
      return tiny(source, dtype);
    default:
      return integer(source, 2);
  }
}

double Palette::target(Source& source) const {
  switch (family) {
    case ValueFamily::small_integer:
      return integer(source, 4);
    case ValueFamily::dense_positive:
      return -dense(source, dtype);  // residuals x w + b - y are positive
    case ValueFamily::subnormal:
      return tiny(source, dtype);
    case ValueFamily::near_overflow:
      return huge(source, dtype);
    default:
      return parameter(source);
  }
}

double draw_padding(Source& source, PaddingContent content, Dtype dtype) {
  if (content == PaddingContent::any && source.chance(1, 3)) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const double largest = format(dtype).largest;
    const std::array bad{std::numeric_limits<double>::quiet_NaN(), kInfinity, -kInfinity, largest,
                         -largest};
    return source.pick(std::span<const double>(bad));
  }
  const bool f16 = dtype == Dtype::f16;  // products of more would overflow
  if (source.chance(1, 2)) return source.sign() * source.between(1, f16 ? 15 : 99);
  return source.sign() * round_to(dtype, full_significand(source, source.between(0, f16 ? 2 : 7)));
}

double draw_learning_rate(Source& source, Dtype dtype) {
  if (source.chance(2, 3)) return std::ldexp(1.0, -source.between(0, 6));
  constexpr std::array kUsual{0.1, 0.3, 0.01, 0.7, 1.0 / 3};
  if (source.chance(1, 2)) return round_to(dtype, source.pick(std::span<const double>(kUsual)));
  return round_to(dtype, full_significand(source, -source.between(1, 6)));
}

}  // namespace shardproof
