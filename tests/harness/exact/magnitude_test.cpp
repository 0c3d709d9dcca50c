// Numbers that are never below what they stand for, against rational arithmetic.

#include "exact/magnitude.h"

#include <gtest/gtest.h>

#include <cmath>

#include "exact/rounding.h"
#include "harness/exact/oracle.h"

namespace shardproof {
namespace {

using oracle::power_of_two;
using oracle::Rational;

double size(oracle::Draws& draws) {
  const oracle::Values families[] = {oracle::Values::normal, oracle::Values::wide,
                                     oracle::Values::subnormal, oracle::Values::small_integers};
  return std::abs(draws.value(families[draws.below(4)]));
}

/// At least the exact value, and at most two units in the last place above it.
void expect_just_above(double computed, const Rational& exact) {
  if (std::isinf(computed)) {
    EXPECT_GT(exact, Rational(std::numeric_limits<double>::max()) * (1 - power_of_two(-50)));
    return;
  }
  EXPECT_GE(Rational(computed), exact);
  EXPECT_LE(Rational(computed), exact * (1 + power_of_two(-51)) + 2 * power_of_two(-1074));
}

TEST(Magnitude, IsNeverBelowTheExactValueAndHardlyAboveIt) {
  oracle::Draws draws(1);
  for (int i = 0; i < 4000; ++i) {
    const double a = size(draws);
    const double b = size(draws);
    expect_just_above((Magnitude{a} + Magnitude{b}).value(), Rational(a) + Rational(b));
    expect_just_above((Magnitude{a} * Magnitude{b}).value(), Rational(a) * Rational(b));
    if (b != 0) expect_just_above((Magnitude{a} / b).value(), Rational(a) / Rational(b));
  }
}

TEST(Magnitude, ZeroIsExactAndSwallowsEvenInfinity) {
  const Magnitude infinity{std::numeric_limits<double>::infinity()};
  EXPECT_EQ((Magnitude{} * infinity).value(), 0);
  EXPECT_EQ((Magnitude{} + Magnitude{3.0}).value(), 3);
  EXPECT_EQ((Magnitude{} / 3).value(), 0);
}

TEST(Magnitude, CompoundedRoundingsAreNeverBelowThePower) {
  for (Dtype dtype : all_dtypes()) {
    for (std::int64_t m : {0, 1, 2, 4, 7, 100, 5000}) {
      const Rational u(format(dtype).unit_roundoff);
      Rational power = 1;
      for (std::int64_t i = 0; i < std::min<std::int64_t>(m, 100); ++i) power *= 1 + u;
      if (m > 100) power = 1 + m * u + Rational(m) * (m - 1) / 2 * u * u;  // its first terms
      const double compounded = compound(rounding_constants(dtype, false).u, m).value();
      // Beyond there, nothing is claimed.
      if (static_cast<double>(m) * format(dtype).unit_roundoff > 0.5) {
        EXPECT_TRUE(std::isinf(compounded));
        continue;
      }
      const Rational bound(compounded);
      EXPECT_GE(bound, power - 1) << name(dtype) << " " << m;
      EXPECT_LE(bound, (power - 1) * (1 + 3 * m * u + power_of_two(-49)))
          << name(dtype) << " " << m;
    }
  }
}

}  // namespace
}  // namespace shardproof
