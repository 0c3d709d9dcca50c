#include <gtest/gtest.h>

#include <cmath>

#include "harness/subject/hand_case.h"

namespace shardproof {
namespace {

using Values = std::vector<double>;

/// Three rows of mean 1 on rank 0, one row of 5 on rank 1: the mean of all four rows is 2.
SharedCase unequal() {
  return one_leaf(
      {{{{.valid = 3, .gradient = {1}, .loss = 2}}, {{.valid = 1, .gradient = {5}, .loss = 10}}}});
}

Values gradient(std::string_view subject, const SharedCase& problem, std::size_t rank = 0,
                std::size_t step = 0) {
  return gradient_of(results_of(subject, problem)[step][rank]);
}

/// The right value of the case, and the wrong one that the subject returns on a rank.
void expect(std::string_view wrong, const SharedCase& problem, const Values& right_values,
            const Values& wrong_values, std::size_t rank = 0) {
  EXPECT_EQ(gradient("sequential", problem, rank), right_values);
  EXPECT_EQ(gradient(wrong, problem, rank), wrong_values) << wrong << " rank " << rank;
}

TEST(Psum, ReturnsTheSumOfTheLocalMeans) {
  expect("psum", unequal(), {2}, {6});
  EXPECT_EQ(ranks_of("psum", unequal())[1].loss, 12.0);
  EXPECT_EQ(ranks_of("sequential", unequal())[1].loss, 4.0);
}

TEST(MeanOfMeans, GivesEveryRankTheSameWeight) { expect("mean-of-means", unequal(), {2}, {3}); }

TEST(MeansOfRanks, WeighMicroBatchesOfOneRankRightly) {
  const SharedCase problem = one_leaf({{{{.valid = 3, .gradient = {1}},  //
                                         {.valid = 1, .gradient = {5}}}}});
  expect("mean-of-means", problem, {2}, {2});
  expect("psum", problem, {2}, {2});
}

TEST(PaddedDenominator, DividesByPaddedRowsToo) {
  // The input is the local sum: 6 over 3 valid rows and one padded.
  const SharedCase problem = one_leaf({{{{.valid = 3, .gradient = {6}, .padded = 1}}}});
  EXPECT_EQ(gradient("sequential:sum-over-count", problem), Values{2});
  EXPECT_EQ(gradient("padded-denominator", problem), Values{1.5});
}

TEST(BiasForgotten, ReducesKernelsOnly) {
  const SharedCase problem =
      hand_case(2, {{.outputs = 1}}, {{{{.gradient = {1, 2, 3}}}, {{.gradient = {5, 6, 7}}}}});
  expect("bias-forgotten", problem, {3, 4, 5}, {3, 4, 3}, 0);
  expect("bias-forgotten", problem, {3, 4, 5}, {3, 4, 7}, 1);
  EXPECT_EQ(ranks_of("bias-forgotten", problem)[1].norm,
            round_to(Dtype::f32, std::sqrt(9.0 + 16 + 49)));
}

TEST(LeavesSwapped, ExchangesTheLastTwoLeavesOfTheLastRank) {
  const SharedCase problem =
      hand_case(2, {{.outputs = 1}}, {{{{.gradient = {1, 2, 3}}}, {{.gradient = {5, 6, 8}}}}});
  expect("leaves-swapped", problem, {3, 4, 5.5}, {4.5, 3.5, 4.5});  // 8, 5, 6 on rank 1
}

TEST(LeavesSwapped, ExchangesTheEndsOfASingleLeaf) {
  const SharedCase problem = one_leaf({{{{.gradient = {1, 2, 3}}}, {{.gradient = {5, 6, 8}}}}});
  expect("leaves-swapped", problem, {3, 4, 5.5}, {4.5, 4, 4});
}

TEST(LastMicroBatch, LosesTheEarlierOnesButCountsTheirRows) {
  const SharedCase problem = one_leaf({{{{.valid = 3, .gradient = {1}, .loss = 4},  //
                                         {.valid = 1, .gradient = {5}, .loss = 8}}}});
  expect("last-micro-batch", problem, {2}, {1.25});
  EXPECT_EQ(ranks_of("last-micro-batch", problem)[0].loss, 2.0);
  EXPECT_EQ(ranks_of("last-micro-batch", problem)[0].count, 4.0);
}

TEST(RankDropped, LosesTheLastRankOfThreeButNotOfFour) {
  const HandedIn one{.gradient = {4}};
  expect("rank-dropped", one_leaf({{{one}, {one}, {{.gradient = {1}}}}}), {3}, {8.0F / 3.0F});
  expect("rank-dropped", one_leaf({{{one}, {one}, {one}, {{.gradient = {0}}}}}), {3}, {3});
}

TEST(RankZeroOnly, LeavesTheOthersTheirOwnMean) {
  const SharedCase problem =
      one_leaf({{{{.valid = 3, .gradient = {1}}, {.valid = 3, .gradient = {1}}},
                 {{.valid = 1, .gradient = {4}},  //
                  {.valid = 1, .gradient = {6}}}}});
  expect("rank0-only", problem, {2}, {2}, 0);
  expect("rank0-only", problem, {2}, {5}, 1);
}

TEST(StaleStep, ReturnsTheStepBeforeFromTheSecondOn) {
  const SharedCase problem =
      one_leaf({{{{.gradient = {1}}}}, {{{.gradient = {2}}}}, {{{.gradient = {3}}}}});
  EXPECT_EQ(gradient("sequential", problem, 0, 2), Values{3});
  EXPECT_EQ(gradient("stale-step", problem, 0, 0), Values{1});
  EXPECT_EQ(gradient("stale-step", problem, 0, 1), Values{1});
  EXPECT_EQ(gradient("stale-step", problem, 0, 2), Values{2});
}

TEST(RingNoTail, LeavesElementsPastTheLastFullChunk) {
  const SharedCase problem = one_leaf({{{{.gradient = {1, 2, 3}}}, {{.gradient = {5, 6, 7}}}}});
  expect("ring-no-tail", problem, {3, 4, 5}, {3, 4, 3}, 0);
  expect("ring-no-tail", problem, {3, 4, 5}, {3, 4, 7}, 1);
}

TEST(RingNoTail, IsRightWhereChunksFit) {
  const SharedCase problem = one_leaf({{{{.gradient = {1, 2}}}, {{.gradient = {5, 6}}}}});
  expect("ring-no-tail", problem, {3, 4}, {3, 4});
}

/// 1 + 2^24 - 2^24 in f32: 0 in rank order, 1 from rank 1 on.
SharedCase order_matters() {
  return one_leaf({{{{.gradient = {1}}}, {{.gradient = {0x1p24}}}, {{.gradient = {-0x1p24}}}}});
}

TEST(UnequalBits, StartsEachSumAtTheOwnRankButClaimsEqualBits) {
  const auto subject = make_builtin("unequal-bits");
  EXPECT_TRUE(subject->claim().equal_bits);
  const auto ranks = ranks_of(*subject, order_matters());
  EXPECT_EQ(gradient_of(ranks[0]), Values{0});
  EXPECT_EQ(gradient_of(ranks[1]), Values{1.0F / 3.0F});
}

TEST(ChangingOrder, GivesOtherBitsInTheNextTrialOnAllRanksAlike) {
  const auto subject = make_builtin("changing-order");
  EXPECT_TRUE(subject->claim().order_fixed);
  for (const Values& bits : {Values{0}, Values{1.0F / 3.0F}, Values{1.0F / 3.0F}, Values{0}}) {
    for (const RankResult& result : ranks_of(*subject, order_matters())) {
      EXPECT_EQ(gradient_of(result), bits);
    }
    results_of(*subject, unequal());  // another world size does not disturb it
  }
}

TEST(InputOverwritten, ReturnsTheRightMeanAndLeavesItInTheContribution) {
  const auto subject = make_builtin("input-overwritten");
  const Outcome outcome = subject->run(unequal(), Limits{});
  const auto& returned = std::get<Returned>(outcome);
  EXPECT_EQ(gradient_of(returned.results[0][0]), Values{2});
  ASSERT_TRUE(returned.input_change);
  EXPECT_EQ(returned.input_change->rank, Rank{0});
  EXPECT_EQ(returned.input_change->before, 1.0);
  EXPECT_EQ(returned.input_change->after, 2.0);
  EXPECT_EQ(returned.contributions[0][0][0].gradient.values()[0], 1.0);
}

TEST(NanFromNothing, ReturnsNanWhereNoRowIsValid) {
  const HandedIn none{.valid = 0, .gradient = {0}, .padded = 1};
  const SharedCase problem = one_leaf({{{none}, {none}}});
  for (const RankResult& result : ranks_of("nan-from-nothing", problem)) {
    EXPECT_TRUE(std::isnan(result.gradient.values()[0]));
    EXPECT_EQ(result.count, 0.0);
  }
  expect("nan-from-nothing", unequal(), {2}, {2});
}

TEST(LocalCount, ReturnsTheRanksOwnCountAndTheRightMean) {
  const auto ranks = ranks_of("local-count", unequal());
  EXPECT_EQ(ranks[0].count, 3.0);
  EXPECT_EQ(ranks[1].count, 1.0);
  expect("local-count", unequal(), {2}, {2});
}

TEST(RanksAsCount, ReturnsTheNumberOfRanksAndTheRightMean) {
  EXPECT_EQ(ranks_of("ranks-as-count", unequal())[0].count, 2.0);
  EXPECT_EQ(ranks_of("sequential", unequal())[0].count, 4.0);
  expect("ranks-as-count", unequal(), {2}, {2});
}

TEST(SummedLoss, ReturnsTheLossTimesTheRanksAndTheRightMean) {
  EXPECT_EQ(ranks_of("summed-loss", unequal())[0].loss, 8.0);
  EXPECT_EQ(ranks_of("sequential", unequal())[0].loss, 4.0);
  expect("summed-loss", unequal(), {2}, {2});
}

TEST(LongPadding, CountsPaddingFromEightRowsOn) {
  const auto with_padding = [](int padded) {
    return one_leaf({{{{.valid = 2, .gradient = {10}, .padded = padded}}}});
  };
  EXPECT_EQ(gradient("sequential:sum-over-count", with_padding(8)), Values{5});
  EXPECT_EQ(gradient("long-padding", with_padding(7)), Values{5});
  EXPECT_EQ(gradient("long-padding", with_padding(8)), Values{1});
}

TEST(WrongReducers, AllClaimTheWeightedMeanUnderAllConditions) {
  int wrong = 0;
  for (const BuiltinSubject& builtin : builtin_subjects()) {
    if (builtin.right) continue;
    const Claim claim = make_builtin(builtin.name)->claim();
    EXPECT_EQ(claim.target, Target::weighted_mean) << builtin.name;
    EXPECT_EQ(claim.conditions, ConditionSet::all()) << builtin.name;
    EXPECT_TRUE(claim.equal_bits) << builtin.name;
    ++wrong;
  }
  EXPECT_GE(wrong, 24);
}

}  // namespace
}  // namespace shardproof
