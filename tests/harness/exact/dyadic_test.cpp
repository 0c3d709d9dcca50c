#include "shardproof/exact/dyadic.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "harness/exact/oracle.h"

namespace shardproof {
namespace {

using oracle::Rational;
using oracle::rational;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLargest = std::numeric_limits<double>::max();

Dyadic random_dyadic(oracle::Draws& draws) {
  std::vector<std::uint64_t> limbs(static_cast<std::size_t>(1 + draws.below(12)));
  for (std::uint64_t& limb : limbs) limb = draws.below(4) == 0 ? 0 : draws.bits();
  // Bits near both ends of the binary64 range and inside it.
  const int exponent = draws.below(2600) - 1500;
  return {draws.below(2) == 0, limbs, exponent};
}

TEST(Dyadic, OfADoubleIsThatDouble) {
  oracle::Draws draws(1);
  for (const oracle::Values values : oracle::kAllValues) {
    for (int i = 0; i < 200; ++i) {
      const double value = draws.value(values);
      EXPECT_EQ(rational(Dyadic(value)), Rational(value)) << value;
    }
  }
  EXPECT_TRUE(Dyadic(-0.0).zero());
}

TEST(Dyadic, MagnitudeUpIsTheLeastDoubleThatIsNotBelow) {
  oracle::Draws draws(2);
  for (int i = 0; i < 2000; ++i) {
    const Dyadic value = random_dyadic(draws);
    const Rational magnitude = abs(rational(value));
    const double up = value.magnitude_up();
    if (up == kInfinity) {
      EXPECT_GT(magnitude, Rational(kLargest));
    } else {
      EXPECT_GE(Rational(up), magnitude);
    }
    if (up > 0) {
      EXPECT_LT(Rational(std::nextafter(up, 0.0)), magnitude);
    }
  }
}

TEST(Dyadic, MagnitudeDownIsTheGreatestDoubleThatIsNotAbove) {
  oracle::Draws draws(3);
  for (int i = 0; i < 2000; ++i) {
    const Dyadic value = random_dyadic(draws);
    const Rational magnitude = abs(rational(value));
    const double down = value.magnitude_down();
    EXPECT_LE(Rational(down), magnitude);
    if (down < kLargest) {
      EXPECT_GT(Rational(std::nextafter(down, kInfinity)), magnitude);
    }
  }
}

TEST(Dyadic, BoundsOfADoubleAreItself) {
  for (const double value : {1.0, 0x1p-1074, 0x1p-1022, 0x1.fffffffffffffp-1023 /* subnormal */,
                             0x1.fffffffffffffp-1022, kLargest, 0.1}) {
    EXPECT_EQ(Dyadic(-value).magnitude_up(), value);
    EXPECT_EQ(Dyadic(-value).magnitude_down(), value);
  }
}

TEST(Dyadic, EqualNumbersAreEqualHoweverTheyAreWritten) {
  oracle::Draws draws(4);
  for (int i = 0; i < 500; ++i) {
    const Dyadic value = random_dyadic(draws);
    const int shift = 1 + draws.below(63);
    std::vector<std::uint64_t> shifted(value.limbs().begin(), value.limbs().end());
    shifted.push_back(0);
    for (std::size_t k = shifted.size() - 1; k > 0; --k) {
      shifted[k] = (shifted[k] << shift) | (shifted[k - 1] >> (64 - shift));
    }
    shifted[0] <<= shift;
    EXPECT_EQ(value, Dyadic(value.negative(), shifted, value.exponent() - shift));
    const Dyadic other = draws.below(2) == 0 ? random_dyadic(draws) : value;
    EXPECT_EQ(value == other, rational(value) == rational(other));
  }
}

TEST(Dyadic, NumbersThatDifferInOneBitOrInSignAreUnequal) {
  const std::vector<std::uint64_t> limbs{1, 5, 0, 0, 7, 0, 0, 9};
  for (std::size_t changed = 0; changed < limbs.size(); ++changed) {
    std::vector<std::uint64_t> other = limbs;
    other[changed] ^= 2;
    EXPECT_FALSE(Dyadic(false, limbs, -3) == Dyadic(false, other, -3));
  }
  EXPECT_FALSE(Dyadic(false, limbs, -3) == Dyadic(true, limbs, -3));
}

}  // namespace
}  // namespace shardproof
