// Predictions are worked out exactly: the weights of a fault accept its values and no others.

#include "judge/predicted.h"

#include <gtest/gtest.h>

#include "harness/judge/hand_made_trials.h"

namespace shardproof {
namespace {

Prediction weighted(Fraction first, Fraction second, int step = 0) {
  return {.terms = {{.step = step, .shard = 0, .element = 0, .weight = first},
                    {.step = step, .shard = 1, .element = 0, .weight = second}}};
}

bool accepts(const Trial& trial, const Prediction& prediction, double value) {
  const Predictor predictor(trial);
  const auto element = predictor.worked_out(prediction, 0);
  return element && predictor.accepts(*element, 0, value);
}

TEST(Predictor, AcceptsTheExactSumOfItsTermsAndNothingFurtherThanRounding) {
  const Trial returned = trial(kTwoRanks, right());  // means 2 and 8 in step 0, 18 and 32 in step 1
  EXPECT_TRUE(accepts(returned, weighted({1, 1}, {1, 1}), 10));
  EXPECT_FALSE(accepts(returned, weighted({1, 1}, {1, 1}), 10.0001));
  EXPECT_TRUE(accepts(returned, weighted({1, 3}, {2, 3}), static_cast<double>(6.0F)));
  EXPECT_FALSE(accepts(returned, weighted({1, 3}, {2, 3}), 5));
  EXPECT_TRUE(accepts(returned, weighted({1, 2}, {1, 2}, 1), 25)) << "terms of another step";
}

TEST(Predictor, TellsAnOffByOneDenominatorApart) {
  const Trial returned = trial(kTwoRanks, right());
  const Fraction share{1, 1000};
  const Fraction next{1, 1001};
  const double value = round_to(Dtype::f32, 10.0 / 1000);
  EXPECT_TRUE(accepts(returned, weighted(share, share), value));
  EXPECT_FALSE(accepts(returned, weighted(next, next), value));
}

TEST(Predictor, StillPredictsWhereDenominatorsHaveNoCommonMultipleWithinTheLimit) {
  const Trial returned = trial(kTwoRanks, right());
  // Both prime: their product is beyond 2^53.
  const Prediction unlike = weighted({1, 4294967291}, {1, 4294967279});
  const double value = round_to(Dtype::f32, 2.0 / 4294967291 + 8.0 / 4294967279);
  EXPECT_TRUE(accepts(returned, unlike, value));
  EXPECT_FALSE(accepts(returned, unlike, value * 1.001));
}

TEST(Predictor, TakesANumberInsteadOfAMeanOrOfTheResult) {
  const Trial returned = trial(kTwoRanks, right());
  Prediction replaced = weighted({1, 2}, {1, 2});
  replaced.terms[1].number = 100;
  EXPECT_TRUE(accepts(returned, replaced, 51));
  const Prediction nan{.terms = {}, .exactly = kNan};
  EXPECT_TRUE(accepts(returned, nan, kNan));
  EXPECT_FALSE(accepts(returned, nan, 5));
}

TEST(Predictor, WorksOutTrainStepsFromTheRowsAtTheParametersOfEachStep) {
  const Trial trained = training(right_training());  // at parameter -1.5 the mean is -37.5
  const Predictor predictor(trained);
  const auto element = predictor.worked_out(weighted({1, 2}, {1, 2}, 1), 1);
  ASSERT_TRUE(element);
  EXPECT_TRUE(predictor.accepts(*element, 1, -37.5));
  EXPECT_FALSE(predictor.accepts(*element, 1, 25));
  const auto first = predictor.worked_out(weighted({1, 2}, {1, 2}), 0);
  ASSERT_TRUE(first);
  EXPECT_TRUE(predictor.accepts_update(*first, 0, {1, -1.5}));
  EXPECT_FALSE(predictor.accepts_update(*first, 0, {1, -4}));
}

}  // namespace
}  // namespace shardproof
