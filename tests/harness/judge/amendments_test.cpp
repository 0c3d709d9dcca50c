// What was found by attacking the first form of the bounds, as far as two dtypes allow: each with
// its numbers, and shown to break the weaker form.

#include <gtest/gtest.h>

#include <limits>

#include "harness/judge/soundness.h"

namespace shardproof {
namespace {

using Ruling = ElementJudge::Ruling;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNan = std::numeric_limits<double>::quiet_NaN();

/// References of contributions by hand, and the arithmetic they were made for.
struct Alone {
  SharedCase problem;
  Arithmetic arithmetic;
  std::vector<ElementReference> references;

  Ruling rule(double value, std::size_t element = 0) const {
    return ElementJudge(references[element], arithmetic, problem->dtype).rule(value);
  }
};

Alone alone(const HandedInStep& step, Claim claim = {}, Dtype dtype = Dtype::f32) {
  HandedInStep rows = step;
  for (auto& rank : rows) {
    for (HandedIn& hand : rank) hand.gradient.assign(hand.gradient.size(), 0);
  }
  Alone result{one_leaf({rows}, dtype), {}, {}};
  const SharedShape shape = tree_shape(result.problem->model);
  std::vector<std::vector<Contribution>> contributions;
  for (const auto& rank : step) {
    auto& mine = contributions.emplace_back();
    for (const HandedIn& hand : rank) {
      Contribution& c = mine.emplace_back();
      c.gradient = Tree(shape, hand.gradient);
      c.valid = ValidCount{hand.valid};
    }
  }
  const Trial trial(result.problem, std::make_shared<const Claim>(claim), SubjectKind::reducer,
                    Returned{});
  const Weights weights = *contribution_weights(claim, result.problem->steps[0]);
  result.arithmetic = arithmetic_of(claim, *result.problem, result.problem->steps[0]);
  const StepOfTrial at{trial, 0, weights, weights, result.arithmetic, {}};
  result.references = references_from_contributions(at, contributions);
  return result;
}

TEST(Amendments, CountTermsOfMicroBatchesAndNotRanks) {
  // One rank, 128 micro-batches in [1, 2], summed one by one in f32.
  std::mt19937_64 random(8);
  std::uniform_real_distribution<float> values(1, 2);
  int refuted_with_one_term = 0;
  for (int trial = 0; trial < 400; ++trial) {
    HandedInStep step(1);
    float sum = 0;
    for (int m = 0; m < 128; ++m) {
      const float value = values(random);
      sum += value;
      step[0].push_back({.valid = 1, .gradient = {value}});
    }
    Alone judged = alone(step);
    const float mean = sum / 128;
    ASSERT_EQ(judged.rule(mean), Ruling::accepted) << trial;
    const double size = judged.references[0].numerator.magnitude_up() / 128;
    judged.references[0].bound = reduction_bound({.roundings = 4}, {size, 0, size, 1});
    refuted_with_one_term += judged.rule(mean) == Ruling::refuted ? 1 : 0;
  }
  EXPECT_GT(refuted_with_one_term, 10);
}

TEST(Amendments, CountZerosThatARunningMeanTouches) {
  // One large micro-batch, then zeros: acc + (0 - acc) / (k + 1) rounds at every one of them.
  std::mt19937_64 random(9);
  std::uniform_real_distribution<float> values(1, 2);
  int refuted_with_one_term = 0;
  for (int trial = 0; trial < 200; ++trial) {
    HandedInStep step(1);
    float mean = values(random);
    step[0].push_back({.valid = 1, .gradient = {mean}});
    const float first = mean;
    for (int k = 1; k < 200; ++k) {
      step[0].push_back({.valid = 1, .gradient = {0}});
      mean += (0 - mean) / static_cast<float>(k + 1);
    }
    Alone judged = alone(step);
    ASSERT_EQ(judged.rule(mean), Ruling::accepted) << trial;
    const double size = first / 200.0;
    judged.references[0].bound = reduction_bound({.roundings = 7}, {size, 0, size, 1});
    refuted_with_one_term += judged.rule(mean) == Ruling::refuted ? 1 : 0;
  }
  EXPECT_GT(refuted_with_one_term, 10);
}

TEST(Amendments, OpenClaimsHaveRoomForRunningMeansOfUnlikeCounts) {
  // A row of its own, then a thousand: the mean loses digits that the weighted sum keeps.
  std::mt19937_64 random(10);
  std::uniform_real_distribution<float> values(1, 2);
  int beyond_one_sum = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const float first = values(random);
    const float second = values(random) * 0x1p-20F;
    const HandedInStep step{
        {{.valid = 1, .gradient = {first}}, {.valid = 1000, .gradient = {second}}}};
    Alone judged = alone(step);
    const float mean = first + (second - first) * (1000.0F / 1001.0F);
    ASSERT_EQ(judged.rule(mean), Ruling::accepted) << trial;
    EXPECT_EQ(judged.rule((first + second) / 2), Ruling::refuted);  // the mean of means
    const double size = judged.references[0].numerator.magnitude_up() / 1001;
    judged.references[0].bound = reduction_bound(judged.arithmetic, {size, 0, size, 2});
    beyond_one_sum += judged.rule(mean) == Ruling::refuted ? 1 : 0;
  }
  EXPECT_GT(beyond_one_sum, 50);
}

TEST(Amendments, AllowFurtherRoundingsForEachAveragingLevel) {
  const HandedInStep one{{{.valid = 1, .gradient = {1}}}};
  const HandedInStep two{{{.valid = 1, .gradient = {1}}, {.valid = 1, .gradient = {1}}}};
  EXPECT_EQ(alone(one).arithmetic.roundings, 4);
  EXPECT_EQ(alone(two).arithmetic.roundings, 7);
  EXPECT_EQ(alone(two, {.levels = 2}).arithmetic.roundings, 10);
  EXPECT_EQ(alone(two, {.roundings = 1}).arithmetic.roundings, 1);
}

TEST(Amendments, AllowTheConversionsOfAnotherAccumulator) {
  const HandedInStep step{{{.valid = 1, .gradient = {1}}}};
  EXPECT_EQ(alone(step, {.accumulate = Dtype::f32}, Dtype::f64).arithmetic.roundings, 6);
  EXPECT_EQ(alone(step, {.accumulate = Dtype::f64}, Dtype::f64).arithmetic.roundings, 4);
}

HandedInStep ranks_of_values(std::initializer_list<double> values) {
  HandedInStep step;
  for (double value : values) step.push_back({{.valid = 1, .gradient = {value}}});
  return step;
}

TEST(Amendments, NanAndOppositeInfinitiesMustComeOutAsNan) {
  for (const HandedInStep& step :
       {ranks_of_values({kNan, 1}), ranks_of_values({kInfinity, -kInfinity})}) {
    EXPECT_EQ(alone(step).rule(kNan), Ruling::accepted);
    EXPECT_EQ(alone(step).rule(1), Ruling::refuted);
  }
}

TEST(Amendments, AnInfinityMustComeOutOnlyOfATreeThatCannotOverflowToTheOtherSide) {
  const Claim tree{.roundings = 1, .summation = Summation::tree};
  EXPECT_EQ(alone(ranks_of_values({kInfinity, 1}), tree).rule(kInfinity), Ruling::accepted);
  EXPECT_EQ(alone(ranks_of_values({kInfinity, 1}), tree).rule(1), Ruling::refuted);
  EXPECT_EQ(alone(ranks_of_values({kInfinity, 1})).rule(kNan), Ruling::undecided);
  // (+inf) + ((-3e38) + (-3e38)) is NaN in f32.
  const double large = round_to(Dtype::f32, -3e38);
  EXPECT_EQ(alone(ranks_of_values({kInfinity, large, large}), tree).rule(kNan), Ruling::undecided);
}

TEST(Amendments, ValuesOfARankWithoutRowsCountForNothing) {
  const HandedInStep step{{{.valid = 1, .gradient = {3}}}, {{.valid = 0, .gradient = {kNan}}}};
  EXPECT_EQ(alone(step).rule(3), Ruling::accepted);
  EXPECT_EQ(alone(step).rule(kNan), Ruling::refuted);
}

TEST(Amendments, InfinitiesAreOpenWhereAnUndividedSumOverflows) {
  const double large = round_to(Dtype::f32, 2e38);
  const Alone judged = alone(ranks_of_values({large, large}));
  EXPECT_EQ(judged.rule(kInfinity), Ruling::undecided);
  EXPECT_EQ(judged.rule(large), Ruling::accepted);
  EXPECT_EQ(judged.rule(large / 2), Ruling::refuted);
}

}  // namespace
}  // namespace shardproof
