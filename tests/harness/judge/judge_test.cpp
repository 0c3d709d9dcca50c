// Verdicts on outcomes made by hand: each way to fail is reached with its numbers, each right
// result is accepted, and what is not judged says why.

#include "shardproof/judge/judge.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "harness/subject/cases.h"
#include "shardproof/subject/local_gradient.h"

namespace shardproof {
namespace {

const double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

RankResult result(const SharedCase& problem, double gradient, double loss, double count) {
  return {.gradient = Tree(tree_shape(problem->model), {gradient}),
          .loss = loss,
          .count = count,
          .norm = std::abs(gradient),
          .parameters = {}};
}

Trial trial(SharedCase problem, Outcome outcome, Claim claim = {},
            SubjectKind kind = SubjectKind::reducer) {
  return {std::move(problem), std::make_shared<const Claim>(std::move(claim)), kind,
          std::move(outcome)};
}

/// Every rank returned these results of each step; contributions as they are handed in.
Returned returned(const SharedCase& problem, const std::vector<RankResult>& of_steps) {
  Returned all;
  const SharedShape shape = tree_shape(problem->model);
  const int ranks = problem->world_size().value;
  for (std::size_t s = 0; s < of_steps.size(); ++s) {
    all.results.emplace_back(static_cast<std::size_t>(ranks), of_steps[s]);
    auto& step = all.contributions.emplace_back();
    for (int r = 0; r < ranks; ++r) {
      step.push_back(
          {local_contribution(*problem, shape, static_cast<int>(s), r, 0, InputForm::local_mean)});
    }
  }
  return all;
}

/// Gradients 2 and 8, then 18 and 32, at parameter 1.
const SharedCase kTwoRanks = test::two_ranks();

Returned right() {
  return returned(kTwoRanks, {result(kTwoRanks, 5, 2.5, 2), result(kTwoRanks, 25, 12.5, 2)});
}

/// The same rows with updates at learning rate 1/2: 1, then -1.5, then 17.25.
Returned right_training() {
  Returned all =
      returned(kTwoRanks, {result(kTwoRanks, 5, 2.5, 2), result(kTwoRanks, -37.5, 28.125, 2)});
  const SharedShape shape = tree_shape(kTwoRanks->model);
  for (RankResult& rank : all.results[0]) rank.parameters = Tree(shape, {-1.5});
  for (RankResult& rank : all.results[1]) rank.parameters = Tree(shape, {17.25});
  all.contributions.clear();
  return all;
}

Trial training(Outcome outcome, Claim claim = {}) {
  return trial(kTwoRanks, std::move(outcome), std::move(claim), SubjectKind::train_step);
}

testing::AssertionResult consistent(const Verdict& verdict) {
  if (std::holds_alternative<Consistent>(verdict)) return testing::AssertionSuccess();
  if (const auto* failure = std::get_if<Failure>(&verdict)) {
    return testing::AssertionFailure() << failure->sentence;
  }
  return testing::AssertionFailure() << std::get<NotApplicable>(verdict).reason;
}

testing::AssertionResult not_applicable(const Verdict& verdict, std::string_view why) {
  const auto* found = std::get_if<NotApplicable>(&verdict);
  if (found == nullptr) return testing::AssertionFailure() << "it is judged";
  if (found->reason.find(why) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << found->reason;
}

/// The failure, whose sentence has to hold all of `words`.
Failure failed(const Verdict& verdict, FailureKind kind, std::vector<std::string> words) {
  const auto* failure = std::get_if<Failure>(&verdict);
  if (failure == nullptr) {
    ADD_FAILURE() << "no failure";
    return {};
  }
  EXPECT_EQ(name(failure->kind), name(kind));
  for (const std::string& word : words) {
    EXPECT_NE(failure->sentence.find(word), std::string::npos)
        << word << " in: " << failure->sentence;
  }
  return *failure;
}

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

TEST(JudgeCountAndNorm, RefutesAnyOtherCount) {
  Returned wrong = right();
  wrong.results[1][0].count = 1;
  const Failure failure =
      failed(judge_count_and_norm(trial(kTwoRanks, wrong)), FailureKind::wrong_count,
             {"rank 0 returned 1", "2 rows are valid"});
  EXPECT_EQ(failure.step, 1);
}

TEST(JudgeCountAndNorm, RefutesWrongNormsHoweverLargeOrSmall) {
  for (double norm : {6.0, 4.999, 0.0, -5.0, 1e-300, 1e300, kInfinity, kNan}) {
    Returned wrong = right();
    wrong.results[0][0].norm = norm;
    failed(judge_count_and_norm(trial(kTwoRanks, wrong)), FailureKind::wrong_norm, {"norm 5"});
  }
}

TEST(JudgeCountAndNorm, AcceptsNormsWithinTheirRoundings) {
  Returned close = right();
  close.results[0][0].norm = next_up(Dtype::f32, 5);
  close.results[0][1].norm = next_down(Dtype::f32, 5);
  EXPECT_TRUE(consistent(judge_count_and_norm(trial(kTwoRanks, close))));
}

TEST(JudgeCountAndNorm, LeavesNormsOpenWhoseSquaresOverflow) {
  Returned huge = right();
  for (auto& step : huge.results) {
    for (RankResult& rank : step) {
      rank.count.reset();
      rank.gradient.values()[0] = 1e30;
      rank.norm = kInfinity;
    }
  }
  EXPECT_TRUE(not_applicable(judge_count_and_norm(trial(kTwoRanks, huge)), "judged"));
}

TEST(JudgeUpdate, NamesTheParameterThatOneUpdateGives) {
  Returned wrong = right_training();
  wrong.results[0][1].parameters->values()[0] = -4;  // moved twice
  failed(judge_update(training(wrong)), FailureKind::wrong_update,
         {"rank 1", "from 1 to -4", "rate 0.5", "-3/2"});
}

TEST(JudgeUpdate, AllowsOneFoldedConstantButTheStrictClaimDoesNot) {
  // The returned gradient is one unit off what moved the parameter.
  Returned folded = right_training();
  for (RankResult& rank : folded.results[0]) rank.gradient.values()[0] = 5 + 8 * 0x1p-22;
  EXPECT_TRUE(consistent(judge_update(training(folded))));
  failed(judge_update(training(folded, {.update = Update::from_returned})),
         FailureKind::wrong_update, {"returned gradient"});
}

TEST(JudgeUpdate, DoesNotApplyToReducers) {
  EXPECT_TRUE(not_applicable(judge_update(trial(kTwoRanks, right())), "no result"));
}

TEST(JudgeEqualRanks, RefutesAnyOtherBitAndShowsBoth) {
  Returned wrong = right();
  wrong.results[0][1].gradient.values()[0] = next_up(Dtype::f32, 5);
  failed(judge_equal_ranks(trial(kTwoRanks, wrong)), FailureKind::ranks_differ,
         {"kernel[0,0]", "rank 0 returned 5 (0x40a00000)", "rank 1", "0x40a00001"});
}

TEST(JudgeEqualRanks, TakesNegativeZeroForZeroAndAnyNanForAnyOther) {
  Returned odd = right();
  odd.results[0][0].gradient.values()[0] = 0.0;
  odd.results[0][1].gradient.values()[0] = -0.0;
  odd.results[1][0].loss = kNan;
  odd.results[1][1].loss = -kNan;
  EXPECT_TRUE(consistent(judge_equal_ranks(trial(kTwoRanks, odd))));
}

TEST(JudgeRepeated, RefutesOtherBitsOfTheSameInputs) {
  Returned other = right();
  other.results[1][1].loss = 12;
  failed(judge_repeated(trial(kTwoRanks, right()), trial(kTwoRanks, other)), FailureKind::unsteady,
         {"loss", "12.5", "12"});
}

TEST(JudgeInputs, NamesTheFirstChange) {
  Returned wrong = right();
  wrong.input_change = InputChange{Rank{1}, 1, 0, "kernel[0,0]", 32, 25};
  failed(judge_inputs(trial(kTwoRanks, wrong)), FailureKind::input_changed,
         {"rank 1", "kernel[0,0] = 32", "left 25"});
}

/// A first step without a valid row, then one with rows.
SharedCase half_empty() {
  auto problem = std::make_shared<Case>(*kTwoRanks);
  for (Shard& shard : problem->steps[0].shards) shard.micro_batches[0].mask = {0};
  return problem;
}

Verdict judge_empty(double gradient, double loss, double count, Claim claim = {}) {
  const SharedCase problem = half_empty();
  return judge_empty_steps(trial(
      problem,
      returned(problem, {result(problem, gradient, loss, count), result(problem, 25, 12.5, 2)}),
      std::move(claim)));
}

TEST(JudgeEmptySteps, AcceptsZerosAndErrors) {
  EXPECT_TRUE(consistent(judge_empty(0, 0, 0)));
  EXPECT_TRUE(consistent(judge_empty(-0.0, 0, 0)));
  EXPECT_TRUE(consistent(judge_empty_steps(trial(half_empty(), Declined{Rank{0}, 0, "no row"}))));
  EXPECT_TRUE(consistent(judge_empty_steps(trial(half_empty(), Threw{Rank{0}, 0, "no row"}))));
}

TEST(JudgeEmptySteps, RefutesNumbersAndNanUnlessNanIsClaimed) {
  failed(judge_empty(1, 0, 0), FailureKind::number_from_nothing, {"kernel[0,0]", "returned 1"});
  failed(judge_empty(0, 2, 0), FailureKind::number_from_nothing, {"loss"});
  failed(judge_empty(0, 0, 1), FailureKind::number_from_nothing, {"count"});
  failed(judge_empty(kNan, 0, 0), FailureKind::number_from_nothing, {"nan"});
  const Claim nan_allowed{.all_empty = AllEmpty::nan_allowed};
  EXPECT_TRUE(consistent(judge_empty(kNan, kNan, 0, nan_allowed)));
  failed(judge_empty(1, 0, 0, nan_allowed), FailureKind::number_from_nothing, {"returned 1"});
}

TEST(JudgeEmptySteps, RefutesAnUpdateFromNothing) {
  const SharedCase problem = half_empty();
  Returned moved = returned(problem, {result(problem, 0, 0, 0), result(problem, 25, 12.5, 2)});
  for (auto& step : moved.results) {
    for (RankResult& rank : step) rank.parameters = Tree(tree_shape(problem->model), {0.5});
  }
  failed(judge_empty_steps(trial(problem, moved, {}, SubjectKind::train_step)),
         FailureKind::number_from_nothing, {"updated kernel[0,0]", "0.5", "no update"});
}

TEST(JudgeEmptySteps, DoesNotApplyWhereEveryStepHasARow) {
  EXPECT_TRUE(not_applicable(judge_empty_steps(trial(kTwoRanks, right())), "valid row"));
}

TEST(JudgeGradient, DoesNotApplyWhereNoRowIsValidAtAll) {
  auto problem = std::make_shared<Case>(*half_empty());
  problem->steps.pop_back();
  Returned zeros = returned(problem, {result(problem, 0, 0, 0)});
  EXPECT_TRUE(not_applicable(judge_gradient(trial(problem, zeros)), "no row is valid"));
  EXPECT_TRUE(
      not_applicable(judge_gradient(trial(problem, Declined{Rank{0}, 0, "no row"})), "no result"));
}

TEST(Outcomes, WithoutAResultAreFailuresOfTheirOwnKind) {
  struct Ending {
    Outcome outcome;
    FailureKind kind;
    std::vector<std::string> words;
  };
  const std::vector<Ending> endings{
      {Declined{Rank{1}, 1, "odd world"}, FailureKind::declined, {"rank 1", "step 1", "odd world"}},
      {Threw{Rank{0}, 0, "bad"}, FailureKind::threw, {"rank 0 threw: bad"}},
      {Deadlocked{{{Rank{0}, Wait::For::barrier, Rank{}}, {Rank{1}, Wait::For::message, Rank{0}}}},
       FailureKind::deadlocked,
       {"rank 0 waits at a barrier", "rank 1 waits for a message from rank 0"}},
      {TimedOut{{Rank{1}}}, FailureKind::timed_out, {"no proof", "rank 1"}},
      {Died{11}, FailureKind::died, {"signal 11"}},
      {Misbehaved{Rank{1}, 0, "no tree"}, FailureKind::misbehaved, {"rank 1", "no tree"}},
  };
  for (const Ending& ending : endings) {
    failed(judge_gradient(trial(kTwoRanks, ending.outcome)), ending.kind, ending.words);
    failed(judge_empty_steps(trial(kTwoRanks, ending.outcome)), ending.kind, ending.words);
    EXPECT_TRUE(not_applicable(judge_equal_ranks(trial(kTwoRanks, ending.outcome)), "no result"));
    EXPECT_TRUE(not_applicable(judge_inputs(trial(kTwoRanks, ending.outcome)), "no result"));
  }
}

}  // namespace
}  // namespace shardproof
