// Exact weights and targets against numbers worked out by hand.

#include "shardproof/judge/reference.h"

#include <gtest/gtest.h>

#include <array>

#include "harness/exact/oracle.h"

namespace shardproof {
namespace {

using oracle::Rational;

MicroBatch rows(int valid) {
  MicroBatch micro_batch;
  micro_batch.mask.assign(static_cast<std::size_t>(valid), 1);
  return micro_batch;
}

/// Three ranks with two micro-batches each: 2 + 1, 3 + 0 and no valid row at all.
Step step_by_hand() {
  Step step;
  step.shards = {{{rows(2), rows(1)}}, {{rows(3), rows(0)}}, {{rows(0), rows(0)}}};
  return step;
}

Model two_outputs() { return {.features = 1, .layers = {{.outputs = 2}}, .parameters = {}}; }

struct Expected {
  Target target;
  InputForm input;
  std::array<Rational, 3> contributions;  ///< of the micro-batches with valid rows
  std::array<Rational, 3> rows;
};

std::vector<Expected> by_hand() {
  const auto q = [](int a, int b) { return Rational(a) / b; };
  using enum InputForm;
  const std::array twelfths{q(1, 12), q(1, 12), q(1, 12)};
  const std::array eighteenths{q(1, 18), q(1, 18), q(1, 18)};
  const std::array ones{q(1, 1), q(1, 1), q(1, 1)};
  return {
      {Target::weighted_mean, local_mean, {q(2, 6), q(1, 6), q(3, 6)}, twelfths},
      {Target::weighted_mean, local_sum, {q(1, 6), q(1, 6), q(1, 6)}, twelfths},
      {Target::weighted_mean, global_mean, ones, twelfths},
      {Target::mean_over_ranks, local_mean, {q(2, 9), q(1, 9), q(3, 9)}, eighteenths},
      {Target::mean_over_ranks, local_sum, {q(1, 9), q(1, 9), q(1, 9)}, eighteenths},
      {Target::sum, local_mean, ones, {q(1, 4), q(1, 2), q(1, 6)}},
      {Target::sum, local_sum, ones, {q(1, 2), q(1, 2), q(1, 2)}},
      {Target::sum, global_mean, ones, twelfths},
  };
}

std::array<Rational, 3> valid_weights(const Weights& weights) {
  const auto weight = [&](std::size_t r, std::size_t m) {
    return Rational(weights.weight[r][m]) / weights.divisor;
  };
  return {weight(0, 0), weight(0, 1), weight(1, 0)};
}

TEST(Weights, AreTheOnesWorkedOutByHandForEveryTargetAndInputForm) {
  const Step step = step_by_hand();
  for (const Expected& expected : by_hand()) {
    const Claim claim{.target = expected.target, .input = expected.input};
    const auto contributions = contribution_weights(claim, step);
    const auto rows = row_weights(claim, two_outputs(), step);
    ASSERT_TRUE(contributions && rows) << settings(claim);
    EXPECT_EQ(valid_weights(*contributions), expected.contributions) << settings(claim);
    EXPECT_EQ(valid_weights(*rows), expected.rows) << settings(claim);
  }
}

TEST(Weights, OfMeansWithoutRowsAreZero) {
  for (Target target : {Target::weighted_mean, Target::mean_over_ranks}) {
    const Weights weights = *contribution_weights({.target = target}, step_by_hand());
    EXPECT_EQ(weights.weight[1][1], 0U);
    EXPECT_EQ(weights.weight[2], (std::vector<std::uint64_t>{0, 0}));
  }
}

TEST(Weights, AreRefusedWhereACommonDivisorNeedsMoreThan53Bits) {
  Step step;
  for (int n : {1009, 1013, 1019, 1021, 1031, 1033, 1039}) step.shards.push_back({{rows(n)}});
  EXPECT_FALSE(contribution_weights({.target = Target::mean_over_ranks}, step));
  EXPECT_FALSE(row_weights({.target = Target::mean_over_ranks}, two_outputs(), step));
  EXPECT_TRUE(contribution_weights({}, step));
}

TEST(ExpectedGradient, OfSixteenDevicesIsTheKnownFraction) {
  // x = arange(64).reshape(32, 2) / 32, y = x @ [2, -1] + 1/4, w = 0, two rows a device.
  Case problem;
  problem.model = {.features = 2, .layers = {{.outputs = 1, .bias = false}}, .parameters = {0, 0}};
  problem.mesh.axes[0].size = 16;
  Step& step = problem.steps.emplace_back();
  for (int r = 0; r < 16; ++r) {
    MicroBatch& micro_batch = step.shards.emplace_back().micro_batches.emplace_back();
    for (int i = 2 * r; i < 2 * r + 2; ++i) {
      const double first = 2 * i / 32.0;
      const double second = (2 * i + 1) / 32.0;
      micro_batch.x.insert(micro_batch.x.end(), {first, second});
      micro_batch.y.push_back(2 * first - second + 0.25);
      micro_batch.mask.push_back(1);
    }
  }
  const Weights weights = *row_weights({}, problem.model, step);
  const ShardParameters parameters(16, problem.model.parameters);
  const ExactTree tree = expected_gradient(weights, problem, 0, parameters);
  const auto element = [&](std::size_t e) {
    return Rational(oracle::rational(tree.numerators[e]) / tree.divisor);
  };
  EXPECT_EQ(element(0), Rational(-1519) / 512);
  EXPECT_EQ(element(1), Rational(-1557) / 512);
}

TEST(Scales, AreNeverBelowTheFactorsOfTheSums) {
  const Model model = two_outputs();
  const ValidCount mine{3};
  const ValidCount all{7};
  const auto expect_above = [](double scale, int numerator, int denominator) {
    const Rational exact = Rational(numerator) / denominator;
    EXPECT_GE(Rational(scale), exact);
    EXPECT_LE(Rational(scale), exact * (1 + oracle::power_of_two(-50)));
  };
  expect_above(gradient_scale(InputForm::local_mean, model, mine, all), 2, 6);
  expect_above(gradient_scale(InputForm::local_sum, model, mine, all), 2, 2);
  expect_above(gradient_scale(InputForm::global_mean, model, mine, all), 2, 14);
  expect_above(loss_scale(InputForm::local_mean, model, mine, all), 1, 6);
  expect_above(loss_scale(InputForm::local_sum, model, mine, all), 1, 2);
  expect_above(loss_scale(InputForm::global_mean, model, mine, all), 1, 14);
}

}  // namespace
}  // namespace shardproof
