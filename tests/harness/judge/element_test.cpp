// Acceptance of one element against rational arithmetic.

#include "judge/element.h"

#include <gtest/gtest.h>

#include "harness/exact/oracle.h"

namespace shardproof {
namespace {

using oracle::Rational;
using Ruling = ElementJudge::Ruling;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNan = std::numeric_limits<double>::quiet_NaN();

double up(Dtype dtype, double v) {
  if (dtype == Dtype::f64) return std::nextafter(v, kInfinity);
  return std::nextafter(static_cast<float>(v), std::numeric_limits<float>::infinity());
}
double down(Dtype dtype, double v) { return -up(dtype, -v); }

/// The real numbers that round to `v` reach the exact interval [low, high].
bool reachable(Dtype dtype, double v, const Rational& low, const Rational& high) {
  const Rational from = (Rational(v) + Rational(down(dtype, v))) / 2;
  const Rational to = (Rational(v) + Rational(up(dtype, v))) / 2;
  return to >= low && from <= high;
}

struct Draw {
  ElementReference reference;
  Dtype dtype = Dtype::f32;
  Rational low;
  Rational high;
};

Draw random_element(oracle::Draws& draws) {
  Draw draw;
  draw.dtype = draws.below(2) == 0 ? Dtype::f32 : Dtype::f64;
  // Subnormal results only in f32: half a gap of subnormal f64 is no binary64 value.
  const int scale = draw.dtype == Dtype::f32 && draws.below(3) == 0 ? -135 : 0;
  const double numerator = std::ldexp(draws.value(oracle::Values::normal), scale);
  draw.reference.numerator = Dyadic(numerator);
  draw.reference.divisor = 1 + static_cast<std::uint64_t>(draws.below(12));
  const double u = format(draw.dtype).unit_roundoff;
  draw.reference.bound = draws.below(4) == 0 ? 0 : std::abs(numerator) * u * draws.below(9) / 3;
  const Rational exact = Rational(numerator) / draw.reference.divisor;
  draw.low = exact - Rational(draw.reference.bound);
  draw.high = exact + Rational(draw.reference.bound);
  return draw;
}

TEST(ElementJudge, AcceptsExactlyWhatTheBoundCanRoundTo) {
  oracle::Draws draws(6);
  const Arithmetic arithmetic{};
  for (int i = 0; i < 3000; ++i) {
    const Draw draw = random_element(draws);
    const ElementJudge judge(draw.reference, arithmetic, draw.dtype);
    double value = round_to(draw.dtype, static_cast<double>(draw.high));
    for (int step = 0; step < 8; ++step) value = up(draw.dtype, value);
    int accepted = 0;
    for (int step = 0; step < 24; ++step, value = down(draw.dtype, value)) {
      const bool right = reachable(draw.dtype, value, draw.low, draw.high);
      ASSERT_EQ(judge.rule(value) == Ruling::accepted, right) << i << " " << value;
      accepted += right ? 1 : 0;
    }
    ASSERT_GT(accepted, 0);
  }
}

TEST(ElementJudge, RefutesTheValueBeyondTheLimitItNames) {
  oracle::Draws draws(7);
  const Arithmetic arithmetic{};
  for (int i = 0; i < 1000; ++i) {
    const Draw draw = random_element(draws);
    const ElementJudge judge(draw.reference, arithmetic, draw.dtype);
    const double highest = judge.limit_towards(1e30);
    const double lowest = judge.limit_towards(-1e30);
    ASSERT_TRUE(reachable(draw.dtype, highest, draw.low, draw.high));
    ASSERT_TRUE(reachable(draw.dtype, lowest, draw.low, draw.high));
    ASSERT_EQ(judge.rule(highest), Ruling::accepted);
    ASSERT_EQ(judge.rule(up(draw.dtype, highest)), Ruling::refuted);
    ASSERT_EQ(judge.rule(lowest), Ruling::accepted);
    ASSERT_EQ(judge.rule(down(draw.dtype, lowest)), Ruling::refuted);
  }
}

TEST(ElementJudge, TakesNegativeZeroForZero) {
  const ElementReference zero{};
  const Arithmetic arithmetic{};
  const ElementJudge judge(zero, arithmetic, Dtype::f64);
  EXPECT_EQ(judge.rule(-0.0), Ruling::accepted);
  EXPECT_EQ(judge.rule(0.0), Ruling::accepted);
  EXPECT_EQ(judge.rule(1e-300), Ruling::refuted);
}

TEST(ElementJudge, RefutesInfinitiesAndNanOnlyWhereNothingCanOverflow) {
  ElementReference reference{.numerator = Dyadic(3.0)};
  const Arithmetic arithmetic{};
  const ElementJudge judge(reference, arithmetic, Dtype::f32);
  for (double value : {kInfinity, -kInfinity, kNan}) {
    reference.may_overflow = false;
    EXPECT_EQ(judge.rule(value), Ruling::refuted);
    reference.may_overflow = true;
    EXPECT_EQ(judge.rule(value), Ruling::undecided);
  }
  EXPECT_EQ(judge.rule(4), Ruling::refuted);
  EXPECT_EQ(judge.rule(3), Ruling::accepted);
}

TEST(ElementJudge, DemandsTheNanOrInfinityThatMustComeOut) {
  const Arithmetic arithmetic{};
  const ElementReference nan{.numerator = {}, .demanded = kNan};
  EXPECT_EQ(ElementJudge(nan, arithmetic, Dtype::f32).rule(kNan), Ruling::accepted);
  EXPECT_EQ(ElementJudge(nan, arithmetic, Dtype::f32).rule(0), Ruling::refuted);
  const ElementReference infinity{.numerator = {}, .demanded = -kInfinity};
  EXPECT_EQ(ElementJudge(infinity, arithmetic, Dtype::f32).rule(-kInfinity), Ruling::accepted);
  EXPECT_EQ(ElementJudge(infinity, arithmetic, Dtype::f32).rule(kInfinity), Ruling::refuted);
  EXPECT_EQ(ElementJudge(infinity, arithmetic, Dtype::f32).rule(kNan), Ruling::refuted);
}

TEST(ElementJudge, DecidesNothingAboutUnjudgedElements) {
  const ElementReference reference{.numerator = {}, .unjudged = true};
  const Arithmetic arithmetic{};
  EXPECT_EQ(ElementJudge(reference, arithmetic, Dtype::f32).rule(7), Ruling::undecided);
}

TEST(ElementJudge, AcceptsEveryFiniteValueUnderAnInfiniteBound) {
  const ElementReference reference{.numerator = Dyadic(1.0), .bound = kInfinity};
  const Arithmetic arithmetic{};
  EXPECT_EQ(ElementJudge(reference, arithmetic, Dtype::f64).rule(-1e300), Ruling::accepted);
}

}  // namespace
}  // namespace shardproof
