// Counts, norms, updates, bits, empty steps and outcomes without a result, made by hand.

#include "harness/judge/hand_made_trials.h"

namespace shardproof {
namespace {

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
      {TimedOut{{Rank{1}}}, FailureKind::hung, {"no proof", "rank 1"}},
      {Died{11, "was killed by SIGSEGV"}, FailureKind::crashed, {"killed by SIGSEGV"}},
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
