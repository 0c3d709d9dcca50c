// The bound of a reduction against NUMERICS 1.3 in rational arithmetic, and against sums that need
// all of it.

#include <gtest/gtest.h>

#include <array>

#include "harness/exact/oracle.h"
#include "shardproof/exact/bound.h"

namespace shardproof {
namespace {

using oracle::power_of_two;
using oracle::Rational;

Rational power(const Rational& base, std::int64_t exponent) {
  Rational result = 1;
  for (std::int64_t i = 0; i < exponent; ++i) result *= base;
  return result;
}

Rational grid(const Rational& u, std::int64_t n, const Rational& m1, const Rational& total) {
  const Rational x = m1 / (1 - (n - 2) * u);
  return u * ((n - 2) * x + total + (n - 2) * u * x);
}

/// NUMERICS 1.3 with amendments 1 to 3, as it is written there.
Rational formula(const Arithmetic& a, const TermSums& sums) {
  const Format& f = format(a.accumulate);
  const std::int64_t n = sums.terms;
  const Rational factor = a.faithful ? 2 : 1;
  const Rational u = factor * Rational(f.unit_roundoff);
  const Rational v = a.faithful ? u : Rational(u / (1 + u));
  // Half of the smallest subnormal is no binary64 value: the bound takes the whole one there.
  const bool whole = a.faithful || a.accumulate == Dtype::f64;
  const Rational lost = Rational(f.smallest_subnormal) / (whole ? 1 : 2);
  const Rational kappa = power(1 + v, a.roundings) - 1;
  const Rational events = a.flush ? (n * a.roundings + 2 * n + 1) * Rational(f.smallest_normal)
                                  : n * a.roundings * lost;
  const Rational h = events * Rational(a.amplification) * (1 + kappa);
  const Rational w = Rational(sums.positive) + Rational(sums.negative);
  const Rational w1 = (1 + kappa) * w + h;
  const Rational m1 = (1 + kappa) * Rational(std::max(sums.positive, sums.negative)) + h;
  Rational additions = 0;
  if (n > 1 && !a.tree) additions = Rational(std::max<std::int64_t>(3, n - 1)) * u * w1;
  if (n > 1 && a.tree) {
    const Rational by_count =
        a.faithful ? Rational(power(1 + u, n - 1) - 1) : Rational((n - 1) * u);
    additions =
        std::min<Rational>(by_count * w1, grid(u, n, m1, Rational(sums.total) + kappa * w + h));
  }
  return kappa * w + h + additions;
}

TermSums random_sums(oracle::Draws& draws, int scale) {
  const double a = std::ldexp(std::abs(draws.value(oracle::Values::normal)), scale);
  const double b = std::ldexp(std::abs(draws.value(oracle::Values::normal)), scale);
  const int n = 1 + draws.below(draws.below(2) == 0 ? 4 : 200);
  switch (draws.below(3)) {
    case 0:
      return {a, 0, a, n};
    case 1:
      return {a, b, std::abs(a - b), n};
    default:
      return {a, a, 0, n};
  }
}

TEST(ReductionBound, IsNeverBelowTheFormulaAndHardlyAboveIt) {
  oracle::Draws draws(2);
  for (int i = 0; i < 800; ++i) {
    Arithmetic a{.accumulate = draws.below(2) == 0 ? Dtype::f32 : Dtype::f64,
                 .roundings = draws.below(9),
                 .amplification = 1.0 + draws.below(5),
                 .tree = draws.below(2) == 0,
                 .faithful = draws.below(4) == 0,
                 .flush = draws.below(4) == 0};
    const TermSums sums = random_sums(draws, draws.below(2) == 0 ? 0 : -130);
    const Rational exact = formula(a, sums);
    const Rational bound(reduction_bound(a, sums));
    ASSERT_GE(bound, exact) << i;
    // Second-order terms of the roundings, then those of the arithmetic in binary64.
    const double u = format(a.accumulate).unit_roundoff;
    const double slack = 8 * u * static_cast<double>(sums.terms + a.roundings) + 1e-12;
    ASSERT_LE(bound, exact * (1 + Rational(slack)) + power_of_two(-1060)) << i;
  }
}

TEST(ReductionBound, OneTermThatIsNotScaledHasNoError) {
  for (bool tree : {false, true}) {
    const Arithmetic a{.roundings = 0, .tree = tree};
    EXPECT_EQ(reduction_bound(a, {3, 0, 3, 1}), 0);
    EXPECT_EQ(reduction_bound(a, {0, 0, 0, 0}), 0);
  }
}

TEST(ReductionBound, TwoTermsOfADeclaredTreeAreRoundedOnce) {
  const Arithmetic tree{.roundings = 0, .tree = true};
  EXPECT_NEAR(reduction_bound(tree, {1e6, 1e6 - 1, 1, 2}) / 0x1p-24, 1, 1e-12);
}

TEST(ReductionBound, HasRoomForACompensatedSumOnlyWithoutADeclaredTree) {
  // Amendment 3: Kahan with three terms reaches 1.47 times the bound of trees.
  const TermSums sums{1, 0, 1, 3};
  const double any = reduction_bound({.roundings = 0}, sums);
  const double tree = reduction_bound({.roundings = 0, .tree = true}, sums);
  EXPECT_GE(any, 1.47 * tree);
  EXPECT_LE(any, 1.6 * tree);
}

TEST(ReductionBound, IsInfiniteWhereNothingIsProved) {
  EXPECT_TRUE(std::isinf(reduction_bound({}, {1, 0, 1, std::int64_t{1} << 24})));
}

TEST(LastRounding, IsHalfTheGapOnTheSideOfTheExactValue) {
  const Arithmetic nearest{};
  EXPECT_EQ(last_rounding(nearest, Dtype::f32, 1, true), 0x1p-24);
  EXPECT_EQ(last_rounding(nearest, Dtype::f32, 1, false), 0x1p-25);
  EXPECT_EQ(last_rounding(nearest, Dtype::f32, -1, true), 0x1p-25);
  EXPECT_EQ(last_rounding(nearest, Dtype::f32, -1, false), 0x1p-24);
  EXPECT_EQ(last_rounding(nearest, Dtype::f32, 1.5, false), 0x1p-24);
  EXPECT_EQ(last_rounding(nearest, Dtype::f32, 0, true), 0x1p-150);
  EXPECT_EQ(last_rounding(nearest, Dtype::f32, 0x1p-140, false), 0x1p-150);
  EXPECT_EQ(last_rounding(nearest, Dtype::f32, 0x1p-126, false), 0x1p-150);
  EXPECT_EQ(last_rounding(nearest, Dtype::f64, 1, true), 0x1p-53);
  EXPECT_EQ(last_rounding(nearest, Dtype::f64, 1, false), 0x1p-54);
}

TEST(LastRounding, TakesTheGapOfTheLastBinadeBeyondTheLargestValue) {
  for (Dtype dtype : all_dtypes()) {
    const Format& f = format(dtype);
    const double gap = f.largest - next_down(dtype, f.largest);
    EXPECT_EQ(last_rounding({}, dtype, f.largest, true), gap / 2);
    EXPECT_EQ(last_rounding({}, dtype, -f.largest, false), gap / 2);
  }
}

TEST(LastRounding, IsAWholeGapWhereRoundingIsFaithfulAndReachesNormalValuesWhereItFlushes) {
  EXPECT_EQ(last_rounding({.faithful = true}, Dtype::f32, 1, true), 0x1p-23);
  EXPECT_EQ(last_rounding({.flush = true}, Dtype::f32, 0, true), 0x1p-126);
  EXPECT_EQ(last_rounding({.flush = true}, Dtype::f32, 1, true), 0x1p-24);
  EXPECT_GE(last_rounding({}, Dtype::f64, 0, true), 0x1p-1074 / 2);
}

struct Terms {
  std::array<float, 5> g;
  std::array<int, 5> count;
};

float running_mean(const Terms& terms, bool by_difference) {
  float mean = 0;
  int seen = 0;
  for (std::size_t i = 0; i < terms.g.size(); ++i) {
    const auto before = static_cast<float>(seen);
    const auto count = static_cast<float>(terms.count[i]);
    seen += terms.count[i];
    const auto after = static_cast<float>(seen);
    if (by_difference) {
      mean += (terms.g[i] - mean) * (count / after);
    } else {
      mean = mean * (before / after) + terms.g[i] * (count / after);
    }
  }
  return mean;
}

Rational exact_mean(const Terms& terms) {
  Rational sum = 0;
  int rows = 0;
  for (std::size_t i = 0; i < terms.g.size(); ++i) {
    sum += Rational(terms.g[i]) * terms.count[i];
    rows += terms.count[i];
  }
  return sum / rows;
}

/// Counts of 1 and 1000, and values from very small to large.
Terms wild_terms(oracle::Draws& draws) {
  Terms terms;
  for (std::size_t i = 0; i < terms.g.size(); ++i) {
    const double normal = draws.value(oracle::Values::normal);
    terms.g[i] = static_cast<float>(std::ldexp(normal, -draws.below(3) * 12));
    terms.count[i] = draws.below(2) == 0 ? 1 : 1000;
  }
  return terms;
}

double largest_allowed(double bound, float mean) {
  return bound + std::max(last_rounding({}, Dtype::f32, mean, true),
                          last_rounding({}, Dtype::f32, mean, false));
}

TEST(RunningMeanBound, CoversWildCountsWhereALazyBoundDoesNot) {
  oracle::Draws draws(3);
  int refuted_by_lazy_bound = 0;
  for (int i = 0; i < 6000; ++i) {
    const Terms terms = wild_terms(draws);
    const Rational exact = exact_mean(terms);
    std::vector<MeanTerm> bounded;
    double weighted = 0;
    int rows = 0;
    for (std::size_t t = 0; t < terms.g.size(); ++t) {
      bounded.push_back({std::abs(static_cast<double>(terms.g[t])), terms.count[t]});
      weighted += bounded.back().magnitude * terms.count[t];
      rows += terms.count[t];
    }
    const RunningMean bound = running_mean_bound({}, bounded);
    EXPECT_GE(bound.magnitude, weighted / rows * (1 - 1e-12));
    const double lazy = reduction_bound({.roundings = 4}, {weighted / rows, 0, weighted / rows, 1});
    for (bool by_difference : {true, false}) {
      const float mean = running_mean(terms, by_difference);
      const Rational error = abs(Rational(mean) - exact);
      ASSERT_LE(error, Rational(largest_allowed(bound.error, mean))) << i;
      if (error > Rational(largest_allowed(lazy, mean))) ++refuted_by_lazy_bound;
    }
  }
  EXPECT_GT(refuted_by_lazy_bound, 500);
}

TEST(RunningMeanBound, OfOneTermIsTheTermWithItsRoundings) {
  const std::array terms{MeanTerm{1, 7}};
  const RunningMean bound = running_mean_bound({}, terms);
  EXPECT_NEAR(bound.magnitude, 1, 1e-12);
  EXPECT_LE(bound.error, 5 * 0x1p-24);
}

}  // namespace
}  // namespace shardproof
