#include "shardproof/exact/exact_sum.h"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <vector>

#include "harness/exact/oracle.h"

namespace shardproof {
namespace {

using oracle::Rational;
using oracle::rational;

/// The two sums as naive rational arithmetic has them.
struct Expected {
  Rational positive = 0;
  Rational negative = 0;

  void add(const Rational& term) {
    if (term > 0) {
      positive += term;
    } else {
      negative -= term;
    }
  }
};

void expect_equal(const ExactSum& sum, const Expected& expected) {
  EXPECT_EQ(rational(sum.positive()), expected.positive);
  EXPECT_EQ(rational(sum.negative()), expected.negative);
  const Rational total = expected.positive - expected.negative;
  EXPECT_EQ(rational(sum.total()), total);
  EXPECT_EQ(sum.sign(), total.sign());
  EXPECT_EQ(sum.positive_up(), sum.positive().magnitude_up());
  EXPECT_EQ(sum.negative_up(), sum.negative().magnitude_up());
}

TEST(ExactSum, OfWeightedTermsEqualsTheRationalSum) {
  oracle::Draws draws(11);
  for (const oracle::Values values : oracle::kAllValues) {
    for (int run = 0; run < 10; ++run) {
      ExactSum sum;
      Expected expected;
      for (int i = draws.below(40); i >= 0; --i) {
        const double value = draws.value(values);
        const std::uint64_t weight = draws.bits();
        sum.add(value, weight);
        expected.add(Rational(value) * weight);
      }
      expect_equal(sum, expected);
    }
  }
}

TEST(ExactSum, OfCancellingTermsKeepsTheLastBit) {
  oracle::Draws draws(12);
  for (int run = 0; run < 50; ++run) {
    ExactSum sum;
    std::vector<double> terms;
    for (int i = 0; i < 10; ++i) terms.push_back(draws.value(oracle::Values::wide));
    for (const double term : terms) sum.add(term);
    sum.add(-0x1p-1074);
    for (const double term : terms) sum.add(-term);
    EXPECT_EQ(sum.total(), Dyadic(-0x1p-1074));
    EXPECT_EQ(sum.sign(), -1);
    sum.add(0x1p-1074);
    EXPECT_EQ(sum.sign(), 0);
    EXPECT_TRUE(sum.total().zero());
  }
}

TEST(ExactSum, OfDyadicsEqualsTheRationalSum) {
  oracle::Draws draws(13);
  for (int run = 0; run < 20; ++run) {
    ExactSum sum;
    Expected expected;
    for (int i = draws.below(8); i >= 0; --i) {
      std::vector<std::uint64_t> limbs(static_cast<std::size_t>(draws.below(20)));
      for (std::uint64_t& limb : limbs)
        limb = draws.below(5) == 0 ? ~std::uint64_t{0} : draws.bits();
      const Dyadic value(draws.below(2) == 0, limbs, draws.below(5000) - 4352);
      const std::uint64_t weight = draws.bits();
      const bool negate = draws.below(2) == 0;
      sum.add(value, weight, negate);
      expected.add(rational(value) * weight * (negate ? -1 : 1));
    }
    expect_equal(sum, expected);
  }
}

TEST(ExactSum, OfProductsEqualsTheRationalSum) {
  oracle::Draws draws(14);
  for (const oracle::Values values : oracle::kAllValues) {
    ExactSum sum;
    Expected expected;
    for (int i = 0; i < 40; ++i) {
      const double a = draws.value(values);
      const double b = draws.value(values);
      const double c = draws.value(values);
      sum.add_product(a, b);
      expected.add(Rational(a) * Rational(b));
      ExactSum product;
      product.add_product(b, c);
      sum.add_product(a, product.total());
      expected.add(Rational(a) * Rational(b) * Rational(c));
      sum.add_product(product.total(), product.total());
      expected.add(Rational(b) * Rational(c) * Rational(b) * Rational(c));
    }
    expect_equal(sum, expected);
  }
}

TEST(ExactSum, CarriesThroughEveryLimbInUse) {
  ExactSum sum;
  Expected expected;
  // All bits from 2^-1074 to 2^1023, then one more unit at the low end.
  for (int exponent = -1074; exponent <= 1023; ++exponent) {
    sum.add(std::ldexp(1.0, exponent));
    expected.add(oracle::power_of_two(exponent));
  }
  sum.add(0x1p-1074);
  expected.add(oracle::power_of_two(-1074));
  expect_equal(sum, expected);
  EXPECT_EQ(rational(sum.total()), oracle::power_of_two(1024));
}

TEST(ExactSum, HoldsManyOfTheLargestProductsOfFour) {
  const double largest = std::numeric_limits<double>::max();
  ExactSum square;
  square.add_product(largest, largest);
  ExactSum product;
  product.add_product(square.total(), square.total());
  const Dyadic term = product.total();
  ExactSum sum;
  for (int i = 0; i < 1000; ++i) sum.add(term, ~std::uint64_t{0});
  const Rational expected = rational(term) * ~std::uint64_t{0} * 1000;
  EXPECT_EQ(rational(sum.total()), expected);
}

TEST(ExactSum, RefusesBitsOutsideItsRange) {
  const std::vector<std::uint64_t> one{1};
  const std::vector<std::uint64_t> four{4};
  ExactSum sum;
  EXPECT_THROW(sum.add(Dyadic(false, one, 4288)), std::range_error);
  EXPECT_THROW(sum.add(Dyadic(false, one, -4353)), std::range_error);
  EXPECT_THROW(sum.add(Dyadic(false, four, -4356), 2), std::range_error);
  EXPECT_EQ(sum.sign(), 0);
}

TEST(ExactSum, AcceptsZeroBitsBelowItsRange) {
  const std::vector<std::uint64_t> limbs{8, 5};
  ExactSum sum;
  sum.add(Dyadic(false, limbs, -4355));
  sum.add(Dyadic(false, limbs, -4357), 12);
  const Rational expected = rational(Dyadic(false, limbs, -4355)) * 4;
  EXPECT_EQ(rational(sum.total()), expected);
}

TEST(ExactSum, StartsAfreshAfterClear) {
  ExactSum sum;
  sum.add(0x1p1000);
  sum.add(-0x1p-1000);
  sum.clear();
  EXPECT_EQ(sum.sign(), 0);
  EXPECT_TRUE(sum.total().zero());
  sum.add(0x1p-1000);
  sum.add(0x1p1000);
  EXPECT_EQ(rational(sum.total()), Rational(0x1p-1000) + Rational(0x1p1000));
}

TEST(ExactSum, IsAPlainValue) {
  ExactSum sum;
  sum.add(3.0);
  ExactSum copy = sum;
  copy.add(-5.0);
  EXPECT_EQ(sum.total(), Dyadic(3.0));
  EXPECT_EQ(copy.total(), Dyadic(-2.0));
  sum = copy;
  EXPECT_EQ(sum.total(), Dyadic(-2.0));
}

}  // namespace
}  // namespace shardproof
