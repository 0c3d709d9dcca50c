#include "shardproof/exact/exact_gradient.h"

#include <gtest/gtest.h>

#include "exact/exact_gradient_paths.h"
#include "harness/exact/naive_gradient.h"

namespace shardproof {
namespace {

using oracle::Draws;
using oracle::Problem;
using oracle::Sizes;
using oracle::Values;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

void expect_equals_rational_arithmetic(const Problem& problem) {
  const std::vector<WeightedRows> groups = problem.groups();
  const ExactTree tree = exact_gradient(problem.model, groups, 7);
  const std::vector<oracle::Rational> expected = oracle::naive_gradient(problem.model, groups);
  ASSERT_EQ(tree.numerators.size(), expected.size());
  EXPECT_EQ(tree.divisor, 7U);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(oracle::rational(tree.numerators[i]), expected[i]) << "element " << i;
  }
  const ExactLoss loss = exact_loss(problem.model, groups, 5);
  EXPECT_EQ(oracle::rational(loss.numerator), oracle::naive_loss(problem.model, groups));
  EXPECT_EQ(loss.divisor, 5U);
}

TEST(ExactGradient, EqualsRationalArithmeticOnEveryMixOfValues) {
  Draws draws(21);
  for (const Values x : oracle::kAllValues) {
    for (const Values w : oracle::kAllValues) {
      for (const Values y : oracle::kAllValues) {
        expect_equals_rational_arithmetic(
            random_problem(draws, {.features = 2, .groups = 1, .rows = 2}, x, w, y));
      }
    }
  }
}

TEST(ExactGradient, HasNoTermOfPaddedRowsWhateverStandsInThem) {
  Draws draws(22);
  for (const Values values : oracle::kAllValues) {
    Problem problem = random_problem(draws, {}, values, values, values);
    for (MicroBatch& batch : problem.batches) {
      const auto row = static_cast<std::size_t>(draws.below(3));
      batch.mask[row] = 0;
      for (std::size_t d = 0; d < 3; ++d) batch.x[row * 3 + d] = kNan;
      for (std::size_t k = 0; k < 2; ++k) batch.y[row * 2 + k] = -kNan;
    }
    expect_equals_rational_arithmetic(problem);
  }
}

TEST(ExactGradient, LeavesAbsentLayersOutOfTreeAndLoss) {
  Draws draws(23);
  const Sizes sizes{.layers = {{.outputs = 2}, {.outputs = 1, .bias = false}, {.outputs = 3}}};
  for (const Values values : oracle::kAllValues) {
    Problem problem = random_problem(draws, sizes, values, values, values);
    for (MicroBatch& batch : problem.batches) {
      for (int l = 0; l < 3; ++l) batch.absent.push_back(draws.below(2) == 0 ? 1 : 0);
    }
    expect_equals_rational_arithmetic(problem);
  }
}

TEST(ExactGradient, OfALayerWithoutBiasHasNoBias) {
  Draws draws(24);
  const Sizes sizes{.layers = {{.outputs = 2, .bias = false}, {.outputs = 1, .bias = false}}};
  for (const Values values : oracle::kAllValues) {
    expect_equals_rational_arithmetic(random_problem(draws, sizes, values, values, values));
  }
}

TEST(ExactGradient, TakesEveryGroupAtItsOwnParameters) {
  Draws draws(25);
  for (const Values values : oracle::kAllValues) {
    const Sizes sizes{.groups = 5, .parameter_sets = 3};
    expect_equals_rational_arithmetic(random_problem(draws, sizes, values, values, values));
  }
}

TEST(ExactGradient, CountsEveryGroupWithItsWeight) {
  Draws draws(26);
  for (const Values values : oracle::kAllValues) {
    for (int run = 0; run < 2; ++run) {
      Problem problem = random_problem(draws, {}, values, values, values);
      for (std::uint64_t& weight : problem.weights) weight = draws.bits();
      problem.weights[0] = run % 2 == 0 ? 0 : ~std::uint64_t{0};
      expect_equals_rational_arithmetic(problem);
    }
  }
}

TEST(ExactGradient, KeepsTheLastBitWhereResidualsCancel) {
  Draws draws(27);
  for (const Values values : {Values::small_integers, Values::normal, Values::single_precision}) {
    for (int run = 0; run < 10; ++run) {
      Problem problem = random_problem(draws, {}, values, values, values);
      const std::vector<double>& w = problem.parameters.front();
      for (MicroBatch& batch : problem.batches) {
        for (std::size_t i = 0; i < batch.y.size(); ++i) {
          const std::size_t row = i / 2;
          const std::size_t k = i % 2;
          batch.y[i] = batch.x[row * 3] * w[k] + batch.x[row * 3 + 1] * w[2 + k] +
                       batch.x[row * 3 + 2] * w[4 + k] + w[6 + k];
        }
      }
      expect_equals_rational_arithmetic(problem);
    }
  }
}

TEST(ExactGradient, OfNothingIsZero) {
  Draws draws(28);
  Problem problem =
      random_problem(draws, {.groups = 0}, Values::normal, Values::normal, Values::normal);
  expect_equals_rational_arithmetic(problem);
  problem = random_problem(draws, {}, Values::normal, Values::normal, Values::normal);
  for (MicroBatch& batch : problem.batches) batch.mask.assign(3, 0);
  expect_equals_rational_arithmetic(problem);
}

TEST(ExactGradient, TakesArraysOfZeros) {
  Draws draws(29);
  for (int zeros = 0; zeros < 8; ++zeros) {
    Problem problem = random_problem(draws, {}, Values::normal, Values::normal, Values::wide);
    for (MicroBatch& batch : problem.batches) {
      if ((zeros & 1) != 0) batch.x.assign(batch.x.size(), -0.0);
      if ((zeros & 2) != 0) batch.y.assign(batch.y.size(), 0.0);
    }
    if ((zeros & 4) != 0) problem.parameters.front().assign(8, 0.0);
    expect_equals_rational_arithmetic(problem);
  }
}

/// Numbers that fill every bit between 2^0 and 2^spread, so that no bit count is lower than it may
/// be, and all of one sign, so that sums grow as they can.
Problem widest(int x_spread, int w_spread, int y_spread, std::uint64_t weight) {
  Draws draws(0);
  Problem problem =
      random_problem(draws, {.features = 2, .layers = {{.outputs = 1}}, .groups = 2, .rows = 2},
                     Values::normal, Values::normal, Values::normal);
  const auto full = [](int spread) { return std::ldexp(1.0 - 0x1p-53, spread); };
  for (MicroBatch& batch : problem.batches) {
    batch.x = {full(x_spread), 1.0, full(x_spread), full(x_spread)};
    batch.y = {-full(y_spread), -1.0};
  }
  problem.parameters.front() = {full(w_spread), 1.0, full(w_spread)};
  problem.weights = {weight, weight};
  return problem;
}

TEST(ExactGradient, NeverOverflowsAtTheBordersOfTheFastPath) {
  for (int spread = 0; spread <= 140; ++spread) {
    expect_equals_rational_arithmetic(widest(spread, spread / 2, 0, 1));
    expect_equals_rational_arithmetic(widest(spread / 2, spread, 2 * spread, 3));
    expect_equals_rational_arithmetic(
        widest(spread / 4, 1, spread, ~std::uint64_t{0} >> spread % 64));
  }
}

TEST(ExactGradient, TakesTheFastPathForUsualNumbers) {
  Draws draws(30);
  for (const Values values :
       {Values::small_integers, Values::normal, Values::single_precision, Values::subnormal}) {
    const Problem problem = random_problem(draws, {}, values, values, values);
    const exact::Places places = exact::places(problem.model);
    const std::vector<WeightedRows> groups = problem.groups();
    EXPECT_EQ(exact::aligned_gradient(problem.model, places, groups).has_value(),
              values != Values::subnormal);
    EXPECT_EQ(exact::aligned_loss(problem.model, places, groups).has_value(),
              values != Values::subnormal);
  }
}

TEST(ExactGradient, IsTheSameOnBothPaths) {
  Draws draws(31);
  const Sizes sizes{.layers = {{.outputs = 2}, {.outputs = 1, .bias = false}}, .parameter_sets = 2};
  for (const Values values : {Values::small_integers, Values::normal, Values::single_precision}) {
    for (int run = 0; run < 20; ++run) {
      const Problem problem = random_problem(draws, sizes, values, values, values);
      const exact::Places places = exact::places(problem.model);
      const std::vector<WeightedRows> groups = problem.groups();
      const auto fast = exact::aligned_gradient(problem.model, places, groups);
      ASSERT_TRUE(fast.has_value());
      EXPECT_EQ(*fast, exact::general_gradient(problem.model, places, groups));
      const auto fast_loss = exact::aligned_loss(problem.model, places, groups);
      ASSERT_TRUE(fast_loss.has_value());
      EXPECT_EQ(*fast_loss, exact::general_loss(problem.model, places, groups));
    }
  }
}

}  // namespace
}  // namespace shardproof
