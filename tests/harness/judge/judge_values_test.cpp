// Gradients and losses made by hand: wrong ones are refuted with their numbers, right ones
// accepted, and what is not judged says why.

#include "harness/judge/hand_made_trials.h"

namespace shardproof {
namespace {

TEST(Judge, AcceptsRightResultsOfAReducer) {
  const Trial reduced = trial(kTwoRanks, right());
  EXPECT_TRUE(consistent(judge_gradient(reduced)));
  EXPECT_TRUE(consistent(judge_loss(reduced)));
  EXPECT_TRUE(consistent(judge_count_and_norm(reduced)));
  EXPECT_TRUE(consistent(judge_equal_ranks(reduced)));
  EXPECT_TRUE(consistent(judge_inputs(reduced)));
  EXPECT_TRUE(consistent(judge_repeated(reduced, trial(kTwoRanks, right()))));
}

TEST(Judge, AcceptsRightResultsOfATrainStep) {
  const Trial trained = training(right_training());
  EXPECT_TRUE(consistent(judge_gradient(trained)));
  EXPECT_TRUE(consistent(judge_loss(trained)));
  EXPECT_TRUE(consistent(judge_update(trained)));
  EXPECT_TRUE(
      consistent(judge_update(training(right_training(), {.update = Update::from_returned}))));
}

TEST(JudgeGradient, NamesStepRankElementAndTheExactValue) {
  Returned wrong = right();
  wrong.results[1][1].gradient.values()[0] = 26;
  const Failure failure =
      failed(judge_gradient(trial(kTwoRanks, wrong)), FailureKind::wrong_gradient,
             {"step 1", "kernel[0,0]", "rank 1 returned 26", "exact 25"});
  EXPECT_EQ(failure.step, 1);
  EXPECT_EQ(failure.rank, Rank{1});
  EXPECT_FALSE(failure.every_rank);
  EXPECT_EQ(failure.returned, 26);
  EXPECT_EQ(failure.exact, "25");
  EXPECT_NE(failure.basis.find("alone"), std::string::npos);
}

TEST(JudgeGradient, SaysWhenEveryRankReturnedTheSameWrongValue) {
  Returned wrong = right();
  for (RankResult& rank : wrong.results[0]) rank.gradient.values()[0] = 10;
  const Failure failure =
      failed(judge_gradient(trial(kTwoRanks, wrong)), FailureKind::wrong_gradient,
             {"every rank returned 10", "exact 5"});
  EXPECT_TRUE(failure.every_rank);
}

TEST(JudgeGradient, RefutesOneUnitBeyondTheLimitItPrints) {
  Returned wrong = right();
  double value = 5;
  while (consistent(judge_gradient(trial(kTwoRanks, wrong)))) {
    value = next_up(Dtype::f32, value);
    wrong.results[0][0].gradient.values()[0] = value;
  }
  const Failure failure =
      failed(judge_gradient(trial(kTwoRanks, wrong)), FailureKind::wrong_gradient, {"more than"});
  EXPECT_GE(std::stod(failure.limit), next_down(Dtype::f32, value));
  EXPECT_LT(std::stod(failure.limit), value);
  EXPECT_LT(value, 5 * (1 + 16 * 0x1p-24));
}

TEST(JudgeGradient, RefutesContributionsThatDoNotComeFromTheRows) {
  // The reducer is right about what it was handed, but that is not the gradient of the rows.
  Returned wrong = right();
  for (auto& rank : wrong.contributions[0]) rank[0].gradient.values()[0] *= 2;
  for (RankResult& rank : wrong.results[0]) rank.gradient.values()[0] = 10;
  const Failure failure = failed(judge_gradient(trial(kTwoRanks, wrong)),
                                 FailureKind::wrong_gradient, {"returned 10", "exact 5"});
  EXPECT_NE(failure.basis.find("end to end"), std::string::npos);
}

TEST(JudgeGradient, TakesEachShardAtItsOwnRanksParameters) {
  // Amendment 13: x = y = 1000 and parameters one unit in the last place apart; 1000 * 2^-23 *
  // 1000.
  const SharedCase problem = test::case_of({{{{1000}}, {{1000}}}, {{{1000}}, {{1000}}}});
  auto with_targets = std::make_shared<Case>(*problem);
  for (Step& step : with_targets->steps) {
    for (Shard& shard : step.shards) shard.micro_batches[0].y = {1000};
  }
  const auto judged = [&](double value) {
    Returned all = returned(
        with_targets,
        {result(with_targets, 0, 0, 2), result(with_targets, round_to(Dtype::f32, value), 0, 2)});
    const SharedShape shape = tree_shape(with_targets->model);
    for (auto& step : all.results) {
      step[0].parameters = Tree(shape, {1});
      step[1].parameters = Tree(shape, {1 + 0x1p-23});
    }
    return judge_gradient(trial(with_targets, all, {}, SubjectKind::train_step));
  };
  // The forward product 1000 (1 + 2^-23) is itself rounded, so that much is allowed around 0.119.
  EXPECT_TRUE(consistent(judged(1e6 * 0x1p-23)));
  failed(judged(10), FailureKind::wrong_gradient, {"exact"});
}

TEST(JudgeGradient, AcceptsAnyPlacementOfTheDivisionButNotAnotherDivisor) {
  // Amendment 7: gradients 2, 4, 4 at three ranks; division and reciprocal differ in the last bit.
  const SharedCase problem = test::case_of({{{{1}}, {{std::sqrt(2.0F)}}, {{std::sqrt(2.0F)}}}});
  Returned all = returned(problem, {result(problem, 0, 5.0F / 3, 3)});
  float sum = 0;
  for (const auto& rank : all.contributions[0]) {
    sum += static_cast<float>(rank[0].gradient.values()[0]);
  }
  const auto judged = [&](float value) {
    Returned other = all;
    for (RankResult& rank : other.results[0]) rank.gradient.values()[0] = value;
    return judge_gradient(trial(problem, other));
  };
  EXPECT_TRUE(consistent(judged(sum / 3.0F)));
  EXPECT_TRUE(consistent(judged(sum * (1.0F / 3.0F))));
  failed(judged(sum / 2.0F), FailureKind::wrong_gradient, {"every rank"});
}

TEST(JudgeGradient, DoesNotApplyWhereOverflowIsPossible) {
  const SharedCase problem = test::case_of({{{{1.2e19}}, {{1.2e19}}}});
  Returned all = returned(problem, {result(problem, kInfinity, kInfinity, 2)});
  EXPECT_TRUE(not_applicable(judge_gradient(trial(problem, all)), "overflow"));
  EXPECT_TRUE(not_applicable(judge_loss(trial(problem, all)), "overflow"));
}

TEST(JudgeGradient, RefutesInfinitiesAndNanWhereNothingOverflows) {
  for (double value : {kInfinity, kNan}) {
    Returned wrong = right();
    wrong.results[0][0].gradient.values()[0] = value;
    failed(judge_gradient(trial(kTwoRanks, wrong)), FailureKind::wrong_gradient,
           {"exact 5", "no intermediate value can overflow"});
  }
}

TEST(JudgeGradient, AllowsFlushingOnlyWhereItIsClaimed) {
  const float x = 7e-20F;  // 2 x^2 is subnormal in f32
  const SharedCase problem = test::case_of({{{{x}}, {{x}}}});
  Returned zeros = returned(problem, {result(problem, 0, 0, 2)});
  EXPECT_TRUE(consistent(judge_gradient(trial(problem, zeros, {.flush = Flush::yes}))));
  failed(judge_gradient(trial(problem, zeros)), FailureKind::wrong_gradient, {"returned 0"});
}

TEST(JudgeLoss, NamesTheExactLossBeforeTheUpdate) {
  Returned wrong = right_training();
  for (RankResult& rank : wrong.results[0]) rank.loss = 28.125;
  failed(judge_loss(training(wrong)), FailureKind::wrong_loss, {"loss", "28.125", "exact 5/2"});
}

TEST(JudgeLoss, DoesNotApplyWithoutALoss) {
  Returned none = right();
  for (auto& step : none.results) {
    for (RankResult& rank : step) rank.loss.reset();
  }
  EXPECT_TRUE(not_applicable(judge_loss(trial(kTwoRanks, none)), "no loss"));
}

}  // namespace
}  // namespace shardproof
