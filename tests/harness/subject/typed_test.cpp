#include "shardproof/subject/typed.h"

#include <gtest/gtest.h>

#include "harness/subject/cases.h"
#include "shardproof/case/error.h"

namespace shardproof {
namespace {

using test::case_of;
using test::two_ranks;

/// The weighted mean, in place, the way that a user writes it.
template <class T>
void weighted_mean(Communicator& ranks, std::span<T> gradient, ValidCount mine) {
  std::vector<T> terms(gradient.begin(), gradient.end());
  for (T& term : terms) term *= static_cast<T>(mine.value);
  terms.push_back(static_cast<T>(mine.value));
  ranks.publish<T>(terms);
  ranks.barrier();
  std::vector<T> sum(terms.size());
  for (int r = 0; r < ranks.world_size().value; ++r) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += ranks.slot<T>(Rank{r})[i];
  }
  ranks.barrier();
  for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] = sum[i] / sum.back();
}

double first_result(Subject& subject, const SharedCase& problem) {
  const Outcome outcome = subject.run(problem, {});
  return std::get<Returned>(outcome).results[0][0].gradient.values()[0];
}

TEST(Typed, APlainFunctionIsASubject) {
  const auto subject = per_rank<float>("mine", {}, weighted_mean<float>);
  EXPECT_EQ(first_result(*subject, two_ranks()), 5);
  EXPECT_EQ(subject->name(), "mine");
}

TEST(Typed, MicroBatchesOfMeansAreJoinedByTheirCounts) {
  // Rank 0: means 2 (1 row) and 8 (3 rows); rank 1: nothing in its first, 18 in its second.
  const SharedCase problem = case_of({{{{1}, {2, 2, 2}}, {{}, {3}}}});
  const auto subject = per_rank<double>("mine", {}, weighted_mean<double>);
  EXPECT_EQ(first_result(*subject, problem), (2.0 + 3 * 8 + 18) / 5);
}

TEST(Typed, MicroBatchesOfSumsAreAdded) {
  Claim claim;
  claim.input = InputForm::local_sum;
  double joined = 0;
  const auto subject = per_rank<double>(
      "sums", claim, [&joined](Communicator&, std::span<double> gradient, ValidCount mine) {
        EXPECT_EQ(mine.value, 4);
        joined = gradient[0];
      });
  first_result(*subject, case_of({{{{1}, {2, 2, 2}}}}));
  EXPECT_EQ(joined, 2 + 3 * 8);
}

TEST(Typed, TheJoiningAddsItsRoundingsToTheClaim) {
  Claim claim;
  EXPECT_EQ(per_rank<float>("any", claim, weighted_mean<float>)->claim().roundings, std::nullopt);
  claim.roundings = 1;
  EXPECT_EQ(per_rank<float>("one", claim, weighted_mean<float>)->claim().roundings, 3);
  claim.input = InputForm::local_sum;
  EXPECT_EQ(per_rank<float>("sum", claim, weighted_mean<float>)->claim().roundings, 1);
}

TEST(Typed, CasesOfAnotherDtypeAreOutsideTheClaim) {
  const auto subject = per_rank<float>("mine", {}, weighted_mean<float>);
  EXPECT_EQ(subject->claim().only_dtype, Dtype::f32);
  Claim other;
  other.only_dtype = Dtype::f64;
  EXPECT_THROW(per_rank<float>("mine", other, weighted_mean<float>), InputError);
}

TEST(Typed, AnAccumulatorWiderThanTheJoiningIsRefused) {
  Claim claim;
  claim.accumulate = Dtype::f64;
  EXPECT_THROW(per_rank<float>("mine", claim, weighted_mean<float>), InputError);
  EXPECT_NO_THROW(per_rank<double>("mine", claim, weighted_mean<double>));
}

/// Sends its own gradient back, twice as large, and counts its calls.
struct Doubles {
  int calls = 0;
  std::optional<TypedResult<float>> operator()(Communicator&, TypedContribution<float>& mine) {
    ++calls;
    mine.gradient[0] *= 2;
    if (!mine.last) return std::nullopt;
    return TypedResult<float>{.gradient = {mine.gradient.begin(), mine.gradient.end()},
                              .loss = mine.loss,
                              .count = calls,
                              .norm = {}};
  }
};

TEST(Typed, AnObjectSeesEveryMicroBatchAndLivesThroughTheTrial) {
  const auto subject =
      per_rank<float>("doubles", {}, [](const ReducerSetup&) { return Doubles{}; });
  const Outcome outcome = subject->run(case_of({{{{1}, {2}}}, {{{1}, {3}}}}), {});
  const auto& returned = std::get<Returned>(outcome);
  EXPECT_EQ(returned.results[1][0].gradient.values()[0], 36);
  EXPECT_EQ(returned.results[1][0].loss, 9);
  EXPECT_EQ(returned.results[1][0].count, 4);
}

TEST(Typed, AChangeOfATypedInputIsAChangeOfTheInput) {
  const Outcome outcome = per_rank<float>("doubles", {}, Doubles{})->run(two_ranks(), {});
  const auto& change = std::get<Returned>(outcome).input_change;
  ASSERT_TRUE(change);
  EXPECT_EQ(change->before, 2);
  EXPECT_EQ(change->after, 4);
}

TEST(Typed, EveryRankHasItsOwnCopyOfTheObject) {
  const Outcome outcome = per_rank<float>("doubles", {}, Doubles{})->run(two_ranks(), {});
  const auto& returned = std::get<Returned>(outcome);
  EXPECT_EQ(returned.results[1][0].count, 2);
  EXPECT_EQ(returned.results[1][1].count, 2);
}

TEST(Typed, AResultOfTheWrongSizeIsNoResult) {
  const auto wrong = [](Communicator&, TypedContribution<float>&) {
    return std::optional(
        TypedResult<float>{.gradient = {1, 2}, .loss = {}, .count = {}, .norm = {}});
  };
  const Outcome outcome = per_rank<float>("wrong", {}, wrong)->run(two_ranks(), {});
  EXPECT_TRUE(std::holds_alternative<Misbehaved>(outcome));
}

}  // namespace
}  // namespace shardproof
