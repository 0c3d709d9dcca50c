// Verdicts on results of which every rank returns its piece.

#include <gtest/gtest.h>

#include "harness/judge/hand_made_trials.h"
#include "shardproof/judge/diagnose.h"

namespace shardproof {
namespace {

Claim pieces() { return {.result = Result::pieces}; }

/// One row on each of two ranks: gradients 2 4 6 and 4 8 2, their mean 3 6 4, its norm the root
/// of 61.
SharedCase two_ranks_of_three() {
  Case problem;
  problem.model = {.features = 3, .layers = {{1, false}}, .parameters = {0, 0, 0}};
  Step step;
  for (const std::vector<double>& x : {std::vector<double>{1, 2, 3}, {2, 4, 1}}) {
    step.shards.push_back({{MicroBatch{.x = x, .y = {-1}, .mask = {1}, .absent = {}}}});
  }
  problem.steps = {step};
  problem.mesh.axes.front().size = 2;
  return std::make_shared<const Case>(std::move(problem));
}
const SharedCase kTwoRanks3 = two_ranks_of_three();

/// Rank 0 holds two elements, rank 1 the third; NaN stands outside of the pieces.
Returned right_pieces() {
  Returned all;
  const SharedShape shape = tree_shape(kTwoRanks3->model);
  all.results.emplace_back();
  for (const std::vector<double>& values : {std::vector<double>{3, 6, kNan}, {kNan, kNan, 4}}) {
    RankResult rank;
    rank.gradient = Tree(shape, values);
    rank.count = 2;
    rank.norm = std::sqrt(61.0F);
    all.results.front().push_back(std::move(rank));
  }
  auto& step = all.contributions.emplace_back();
  for (int r = 0; r < 2; ++r) {
    step.push_back({local_contribution(*kTwoRanks3, shape, 0, r, 0, InputForm::local_mean)});
  }
  return all;
}

Trial trial_of(Returned returned, Claim claim = pieces()) {
  return trial(kTwoRanks3, std::move(returned), std::move(claim));
}

TEST(JudgedPieces, AreAllThatIsJudgedOfARank) {
  EXPECT_TRUE(consistent(judge_gradient(trial_of(right_pieces()))));
  EXPECT_TRUE(consistent(judge_equal_ranks(trial_of(right_pieces()))));
  EXPECT_TRUE(consistent(judge_count_and_norm(trial_of(right_pieces()))));
  failed(judge_gradient(trial_of(right_pieces(), {})), FailureKind::wrong_gradient, {"rank 1"});
}

TEST(JudgedPieces, AreRefutedElementByElementOnTheRankThatHoldsThem) {
  Returned wrong = right_pieces();
  wrong.results[0][1].gradient.values()[2] = 5;
  const Failure failure =
      failed(judge_gradient(trial_of(wrong)), FailureKind::wrong_gradient, {"rank 1 returned 5"});
  EXPECT_FALSE(failure.every_rank);
}

TEST(JudgedPieces, ThatLeaveAGapMisbehave) {
  Returned gap = right_pieces();
  gap.results[0][0].piece = Piece{0, 1};
  gap.results[0][1].piece = Piece{2, 1};
  failed(judge_gradient(trial_of(gap)), FailureKind::misbehaved,
         {"rank 0", "element 1 of 3", "in no rank's piece"});
}

TEST(JudgedPieces, HaveOneNormTogether) {
  Returned own = right_pieces();
  own.results[0][1].norm = 4;  // of its own piece
  failed(judge_count_and_norm(trial_of(own)), FailureKind::wrong_norm,
         {"rank 1 returned 4", "all ranks' pieces together have the norm"});
}

TEST(JudgedPieces, AgreeOnWhatIsNoPiece) {
  Returned unlike = right_pieces();
  unlike.results[0][1].count = 3;
  failed(judge_equal_ranks(trial_of(unlike)), FailureKind::ranks_differ, {"count"});
  Returned alone = right_pieces();
  for (RankResult& rank : alone.results[0]) rank.count = rank.norm = std::nullopt;
  EXPECT_TRUE(not_applicable(judge_equal_ranks(trial_of(alone)), "its own piece and nothing else"));
}

TEST(JudgedPieces, AreExplainedByThePiecesOfOtherRanks) {
  Returned shifted = right_pieces();
  shifted.results[0][0].gradient = Tree(tree_shape(kTwoRanks3->model), {4, 0, 0});
  shifted.results[0][1].gradient = Tree(tree_shape(kTwoRanks3->model), {0, 0, 3});
  std::vector<Trial> trials;
  trials.push_back(trial_of(shifted));
  const Diagnosis found = diagnose({.trials = trials});
  ASSERT_FALSE(found.causes.empty());
  EXPECT_EQ(found.causes.front().name, "piece-of-next-rank");
}

}  // namespace
}  // namespace shardproof
