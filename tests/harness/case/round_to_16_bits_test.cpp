// The two 16-bit formats, exhaustively, against tables that are decoded bit by bit.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "shardproof/case/dtype.h"

namespace shardproof {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// One of the formats as its encoding is defined: sign, exponent, fraction.
struct Encoding {
  Dtype dtype;
  int exponent_bits;
  int fraction_bits;

  /// \return the value of a positive code; NaN and infinity too
  [[nodiscard]] double decode(unsigned code) const {
    const unsigned fraction = code & ((1U << fraction_bits) - 1);
    const auto exponent = static_cast<int>(code >> fraction_bits);
    const int top = (1 << exponent_bits) - 1;
    const int bias = (1 << (exponent_bits - 1)) - 1;
    if (exponent == top) {
      return fraction == 0 ? kInfinity : std::numeric_limits<double>::quiet_NaN();
    }
    const int shown = exponent == 0 ? 1 : exponent;
    const double hidden = exponent == 0 ? 0 : 1;
    return std::ldexp(hidden + std::ldexp(fraction, -fraction_bits), shown - bias);
  }
  [[nodiscard]] unsigned code_of_infinity() const {
    return static_cast<unsigned>((1 << exponent_bits) - 1) << fraction_bits;
  }
};

class SixteenBits : public ::testing::TestWithParam<Encoding> {};

INSTANTIATE_TEST_SUITE_P(, SixteenBits,
                         ::testing::Values(Encoding{Dtype::bf16, 8, 7},
                                           Encoding{Dtype::f16, 5, 10}),
                         [](const auto& format) { return std::string(name(format.param.dtype)); });

TEST_P(SixteenBits, EveryValueIsItsOwnRoundingAndHasItsEncoding) {
  const Encoding& e = GetParam();
  for (unsigned code = 0; code < 0x8000U; ++code) {
    const double value = e.decode(code);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(round_to(e.dtype, value)));
      continue;
    }
    ASSERT_EQ(round_to(e.dtype, value), value) << code;
    ASSERT_EQ(round_to(e.dtype, -value), -value) << code;
    ASSERT_EQ(encoding(e.dtype, value), code);
    ASSERT_EQ(encoding(e.dtype, -value), code | 0x8000U);
  }
  EXPECT_TRUE(std::signbit(round_to(e.dtype, -0.0)));
}

TEST_P(SixteenBits, BetweenTwoValuesTheNearerIsTakenAndTheEvenOneHalfWay) {
  const Encoding& e = GetParam();
  for (unsigned code = 0; code + 1 < e.code_of_infinity(); ++code) {
    const double low = e.decode(code);
    const double high = e.decode(code + 1);
    const double middle = low + (high - low) / 2;  // exact in binary64
    const double even = code % 2 == 0 ? low : high;
    for (const double sign : {1.0, -1.0}) {
      ASSERT_EQ(round_to(e.dtype, sign * middle), sign * even) << code;
      ASSERT_EQ(round_to(e.dtype, sign * std::nextafter(middle, 0)), sign * low) << code;
      ASSERT_EQ(round_to(e.dtype, sign * std::nextafter(middle, kInfinity)), sign * high) << code;
      ASSERT_EQ(round_to(e.dtype, sign * std::nextafter(low, kInfinity)), sign * low) << code;
      ASSERT_EQ(round_to(e.dtype, sign * std::nextafter(high, 0)), sign * high) << code;
    }
  }
}

TEST_P(SixteenBits, HalfAGapBeyondTheLargestValueIsInfinity) {
  const Encoding& e = GetParam();
  const double largest = e.decode(e.code_of_infinity() - 1);
  const double gap = largest - e.decode(e.code_of_infinity() - 2);
  EXPECT_EQ(format(e.dtype).largest, largest);
  EXPECT_EQ(round_to(e.dtype, std::nextafter(largest + gap / 2, 0)), largest);
  EXPECT_EQ(round_to(e.dtype, largest + gap / 2), kInfinity);
  EXPECT_EQ(round_to(e.dtype, -(largest + gap / 2)), -kInfinity);
  EXPECT_EQ(round_to(e.dtype, std::numeric_limits<double>::max()), kInfinity);
  EXPECT_EQ(round_to(e.dtype, std::numeric_limits<double>::denorm_min()), 0);
}

TEST_P(SixteenBits, NeighboursAreTheCodesBesideIt) {
  const Encoding& e = GetParam();
  for (unsigned code = 0; code < e.code_of_infinity(); ++code) {
    const double value = e.decode(code);
    const double next = e.decode(code + 1);
    ASSERT_EQ(next_up(e.dtype, value), next);
    ASSERT_EQ(next_down(e.dtype, next), value);
    ASSERT_EQ(next_down(e.dtype, -value), -next);
    ASSERT_EQ(next_up(e.dtype, -next), -value);
    if (next == kInfinity) continue;
    // Of what lies between them.
    const double between = std::nextafter(value, kInfinity);
    ASSERT_EQ(next_up(e.dtype, between), next);
    ASSERT_EQ(next_down(e.dtype, between), value);
  }
}

TEST_P(SixteenBits, ConstantsAreThoseOfTheEncoding) {
  const Encoding& e = GetParam();
  const Format& f = format(e.dtype);
  EXPECT_EQ(f.precision, e.fraction_bits + 1);
  EXPECT_EQ(f.smallest_subnormal, e.decode(1));
  EXPECT_EQ(f.smallest_normal, e.decode(1U << e.fraction_bits));
  EXPECT_EQ(f.smallest_normal, std::ldexp(1.0, f.min_exponent));
  EXPECT_EQ(f.unit_roundoff, std::ldexp(1.0, -f.precision));
}

/// Nearest by bisection in the table of all values, distances compared in exact arithmetic: long
/// double holds the sum of two neighbours, and twice a binary64 value of that range.
double nearest_in(const std::vector<double>& table, double value) {
  const auto above = std::lower_bound(table.begin(), table.end(), value);
  if (above == table.end()) return table.back();
  if (*above == value || above == table.begin()) return *above;
  const double high = *above;
  const double low = *(above - 1);
  const long double twice = 2.0L * value;
  const long double sum = static_cast<long double>(low) + high;
  if (twice != sum) return twice < sum ? low : high;
  return (above - table.begin()) % 2 == 0 ? high : low;
}

TEST_P(SixteenBits, RandomValuesGoToTheNearestOfTheTable) {
  const Encoding& e = GetParam();
  std::vector<double> table;
  for (unsigned code = 0; code < e.code_of_infinity(); ++code) table.push_back(e.decode(code));
  std::uint64_t state = 20261130;
  for (int i = 0; i < 200000; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    const double fraction = 1 + static_cast<double>(state >> 12) * 0x1p-52;
    const int span = e.dtype == Dtype::f16 ? 42 : 262;
    const int lowest = format(e.dtype).min_exponent - format(e.dtype).precision - 1;
    const double value = std::ldexp(fraction, lowest + static_cast<int>(state % span));
    if (value > table.back()) continue;
    ASSERT_EQ(round_to(e.dtype, value), nearest_in(table, value)) << value;
  }
}

}  // namespace
}  // namespace shardproof
