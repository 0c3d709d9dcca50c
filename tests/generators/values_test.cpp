#include "shardproof/generators/values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "generators/conformance.h"
#include "shardproof/generators/arbitrary.h"

namespace shardproof {
namespace {

bool simpler(double a, double b) { return is_simpler(a, b); }

std::optional<std::string> not_of(Dtype dtype, double value) {
  if (!std::isfinite(value)) return "is not finite";
  if (!representable(dtype, value)) return "is no " + std::string(name(dtype));
  return std::nullopt;
}

std::vector<double> targets(ValueFamily family, Dtype dtype) {
  Source source{rc::Random(7)};
  const Palette palette{.family = family, .dtype = dtype};
  std::vector<double> drawn;
  for (int i = 0; i < 500; ++i) drawn.push_back(palette.target(source));
  return drawn;
}

TEST(Values, OfEveryFamilyConform) {
  for (const Dtype dtype : all_dtypes()) {
    for (const ValueFamily family : kAllValueFamilies) {
      expect_conforms<double>({.name = std::string(name(family)),
                               .generator = arbitrary_value(family, dtype),
                               .objection = [=](double value) { return not_of(dtype, value); },
                               .is_simpler = simpler});
    }
  }
}

TEST(Padding, Conforms) {
  for (const Dtype dtype : all_dtypes()) {
    for (const PaddingContent content : {PaddingContent::finite, PaddingContent::any}) {
      expect_conforms<double>({.name = "padding",
                               .generator = arbitrary_padding(content, dtype),
                               .objection = [=](double value) -> std::optional<std::string> {
                                 if (!representable(dtype, value)) return "is not of the dtype";
                                 const bool small = std::fabs(value) <= kLargestPadding;
                                 if (content == PaddingContent::finite && !small) return "is large";
                                 return std::nullopt;
                               },
                               .is_simpler = simpler});
    }
  }
}

TEST(LearningRates, Conform) {
  for (const Dtype dtype : all_dtypes()) {
    expect_conforms<double>({.name = "learning rate",
                             .generator = arbitrary_learning_rate(dtype),
                             .objection = [=](double value) -> std::optional<std::string> {
                               if (!(value > 0)) return "is not positive";
                               return not_of(dtype, value);
                             },
                             .is_simpler = simpler});
  }
}

TEST(LearningRates, ArePowersOfTwoAndOthers) {
  Source source{rc::Random(1)};
  int powers = 0;
  for (int i = 0; i < 1000; ++i) {
    int exponent = 0;
    powers += std::frexp(draw_learning_rate(source, Dtype::f32), &exponent) == 0.5 ? 1 : 0;
  }
  EXPECT_GT(powers, 500);
  EXPECT_LT(powers, 900);
}

TEST(Padding, ThatMayBeAnythingIsSometimesNanInfiniteAndTheLargestValue) {
  Source source{rc::Random(1)};
  int nan = 0;
  int infinite = 0;
  int largest = 0;
  for (int i = 0; i < 1000; ++i) {
    const double value = draw_padding(source, PaddingContent::any, Dtype::f32);
    nan += std::isnan(value) ? 1 : 0;
    infinite += std::isinf(value) ? 1 : 0;
    largest += std::fabs(value) == format(Dtype::f32).largest ? 1 : 0;
  }
  EXPECT_GT(nan, 10);
  EXPECT_GT(infinite, 10);
  EXPECT_GT(largest, 10);
}

TEST(Values, OfTheSubnormalFamilyLieAroundTheSmallestNormalValue) {
  for (const Dtype dtype : all_dtypes()) {
    int subnormal = 0;
    for (const double value : targets(ValueFamily::subnormal, dtype)) {
      EXPECT_LE(std::fabs(value), 2 * format(dtype).smallest_normal);
      subnormal += value != 0 && std::fabs(value) < format(dtype).smallest_normal ? 1 : 0;
    }
    EXPECT_GT(subnormal, 300);
  }
}

TEST(Values, OfTheFamilyNearOverflowLieWithinTwoToTheNinthOfTheLargest) {
  for (const Dtype dtype : all_dtypes()) {
    for (const double value : targets(ValueFamily::near_overflow, dtype)) {
      EXPECT_GE(std::fabs(value), format(dtype).largest / 512);
    }
  }
}

TEST(Values, OfWideExponentsSpanMoreThanTheSignificand) {
  for (const Dtype dtype : all_dtypes()) {
    double low = std::numeric_limits<double>::infinity();
    double high = 0;
    for (const double value : targets(ValueFamily::wide_exponent, dtype)) {
      low = std::min(low, std::fabs(value));
      high = std::max(high, std::fabs(value));
    }
    // All of f16 spans 2^40, and squares of residuals have to stay within it.
    const int octaves = dtype == Dtype::f16 ? 5 : format(dtype).precision;
    EXPECT_GT(high / low, std::ldexp(1.0, octaves));
  }
}

TEST(Values, OfDenseFamiliesUseTheWholeSignificand) {
  for (const ValueFamily family : {ValueFamily::dense_positive, ValueFamily::dense_normal}) {
    int full = 0;
    for (const double value : targets(family, Dtype::f64)) {
      full += representable(Dtype::f32, value) ? 0 : 1;
    }
    EXPECT_GT(full, 450) << name(family);
  }
}

TEST(ValueOrder, PutsZeroThenSmallIntegersThenFewBitsThenInfinityThenNan) {
  const std::vector<double> order{0,
                                  1,
                                  -1,
                                  2,
                                  1048576,
                                  0.5,
                                  0.25,
                                  0x1p100,
                                  1.5,
                                  -1.5,
                                  0.1,
                                  std::numeric_limits<double>::infinity(),
                                  std::numeric_limits<double>::quiet_NaN()};
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t j = 0; j < order.size(); ++j) {
      EXPECT_EQ(is_simpler(order[i], order[j]), i < j) << order[i] << " and " << order[j];
    }
  }
}

TEST(ValueOrder, TriesZeroAndOneThenTheSignThenTheInteger) {
  std::vector<double> simpler_values;
  for_each_simpler(-6.5, [&](double value) {
    simpler_values.push_back(value);
    return simpler_values.size() < 5;
  });
  EXPECT_EQ(simpler_values, (std::vector<double>{0, 1, -1, 6.5, -6}));
}

}  // namespace
}  // namespace shardproof
