#include "shardproof/subject/per_rank.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cfenv>
#include <functional>
#include <thread>

#include "harness/subject/cases.h"
#include "shardproof/case/error.h"

namespace shardproof {
namespace {

using test::case_of;
using test::two_ranks;
using Contribute = std::function<std::optional<Reduced>(Communicator&, Contribution&)>;

/// A reducer of one function.
class Calls final : public Reducer {
 public:
  explicit Calls(Contribute contribute) : contribute_(std::move(contribute)) {}
  std::optional<Reduced> contribute(Communicator& ranks, Contribution& mine) override {
    return contribute_(ranks, mine);
  }

 private:
  Contribute contribute_;
};

std::unique_ptr<Subject> subject(Contribute contribute, Claim claim = {}) {
  return per_rank("test", std::move(claim),
                  [contribute = std::move(contribute)](const ReducerSetup&) {
                    return std::make_unique<Calls>(contribute);
                  });
}

Outcome outcome_of(Contribute contribute, const SharedCase& problem = two_ranks(),
                   Limits limits = {}) {
  return subject(std::move(contribute))->run(problem, limits);
}

/// The sum over the ranks of the gradients of the last micro-batch.
Reduced sum(Communicator& ranks, const Contribution& mine) {
  Reduced reduced{
      .gradient = Tree(mine.gradient.shared_shape()), .loss = {}, .count = {}, .norm = {}};
  ranks.publish<double>(mine.gradient.values());
  ranks.barrier();
  for (int r = 0; r < ranks.world_size().value; ++r) {
    const std::span<const double> theirs = ranks.slot<double>(Rank{r});
    for (std::size_t i = 0; i < theirs.size(); ++i) reduced.gradient.values()[i] += theirs[i];
  }
  ranks.barrier();
  return reduced;
}

std::optional<Reduced> sum_last(Communicator& ranks, Contribution& mine) {
  if (!mine.last) return std::nullopt;
  return sum(ranks, mine);
}

std::vector<double> values(const Tree& tree) {
  return {tree.values().begin(), tree.values().end()};
}

TEST(PerRankReducer, GivesEveryRanksResultOfEveryStep) {
  const Outcome outcome = outcome_of(sum_last);
  const auto& returned = std::get<Returned>(outcome);
  ASSERT_EQ(returned.results.size(), 2U);
  for (std::size_t r = 0; r < 2; ++r) {
    EXPECT_EQ(values(returned.results[0][r].gradient), std::vector<double>{2 + 8});
    EXPECT_EQ(values(returned.results[1][r].gradient), std::vector<double>{18 + 32});
  }
  EXPECT_FALSE(returned.input_change);
}

TEST(PerRankReducer, KeepsTheContributionsAsTheyWereHandedIn) {
  const Outcome outcome = outcome_of([](Communicator& ranks, Contribution& mine) {
    const Reduced reduced = sum(ranks, mine);
    mine.gradient.values()[0] = -1;
    return std::optional(reduced);
  });
  const auto& returned = std::get<Returned>(outcome);
  EXPECT_EQ(values(returned.contributions[0][1][0].gradient), std::vector<double>{8});
  ASSERT_TRUE(returned.input_change);
  EXPECT_EQ(returned.input_change->rank, Rank{0});
  EXPECT_EQ(returned.input_change->step, 0);
  EXPECT_EQ(returned.input_change->what, "kernel[0,0]");
  EXPECT_EQ(returned.input_change->before, 2);
  EXPECT_EQ(returned.input_change->after, -1);
}

TEST(PerRankReducer, FindsAChangeThatIsMadeAfterTheCall) {
  // It keeps the first step's contribution and writes to it in the second.
  const auto make = [](const ReducerSetup&) {
    return std::make_unique<Calls>([kept = static_cast<Contribution*>(nullptr)](
                                       Communicator& ranks, Contribution& mine) mutable {
      if (kept != nullptr && ranks.rank().index == 1) kept->loss = 100;
      kept = &mine;
      return std::optional(sum(ranks, mine));
    });
  };
  const Outcome outcome = per_rank("late", {}, make)->run(two_ranks(), {});
  const auto& returned = std::get<Returned>(outcome);
  ASSERT_TRUE(returned.input_change);
  EXPECT_EQ(returned.input_change->rank, Rank{1});
  EXPECT_EQ(returned.input_change->step, 0);
  EXPECT_EQ(returned.input_change->what, "loss");
}

TEST(PerRankReducer, HandsInMicroBatchesOneByOneAndMarksTheLast) {
  std::atomic<int> calls{0};
  const SharedCase problem = case_of({{{{1}, {2}, {3}}, {{4}, {5}, {6}}}});
  const Outcome outcome = outcome_of(
      [&](Communicator& ranks, Contribution& mine) -> std::optional<Reduced> {
        ++calls;
        EXPECT_EQ(mine.last, mine.micro_batch == 2);
        return sum_last(ranks, mine);
      },
      problem);
  EXPECT_EQ(calls, 6);
  EXPECT_EQ(values(std::get<Returned>(outcome).results[0][0].gradient),
            std::vector<double>{18 + 72});
}

TEST(PerRankReducer, AnAnswerAtTheWrongTimeOrOfTheWrongSizeIsNoResult) {
  const SharedCase two_batches = case_of({{{{1}, {2}}, {{3}, {4}}}});
  const Outcome early = outcome_of(
      [](Communicator&, Contribution& mine) {
        return std::optional(
            Reduced{.gradient = mine.gradient, .loss = {}, .count = {}, .norm = {}});
      },
      two_batches);
  EXPECT_EQ(std::get<Misbehaved>(early).what, "returned before the last micro-batch");

  const Outcome none =
      outcome_of([](Communicator&, Contribution&) { return std::optional<Reduced>(); });
  EXPECT_EQ(std::get<Misbehaved>(none).what, "returned nothing for the last micro-batch");

  const Outcome empty =
      outcome_of([](Communicator&, Contribution&) { return std::optional(Reduced{}); });
  EXPECT_EQ(std::get<Misbehaved>(empty).what, "returned a tree of 0 elements instead of 1");
}

TEST(PerRankReducer, NamesTheRankThatThrewAndNotThoseThatWaitedForIt) {
  const auto throws_late = [](Communicator& ranks, Contribution& mine) {
    if (mine.step == 1 && ranks.rank().index == 1) throw std::runtime_error("broken");
    return std::optional(sum(ranks, mine));
  };
  const auto one = subject(throws_late);
  for (int trial = 0; trial < 100; ++trial) {
    const Outcome outcome = one->run(two_ranks(), {});
    const auto& threw = std::get<Threw>(outcome);
    ASSERT_EQ(threw.rank, Rank{1});
    ASSERT_EQ(threw.step, 1);
    ASSERT_EQ(threw.message, "broken");
  }
}

TEST(PerRankReducer, NamesTheLowestStepThenTheLowestRankOfSeveralThatFail) {
  const SharedCase problem = case_of({{{{1}}, {{1}}, {{1}}}, {{{1}}, {{1}}, {{1}}}});
  for (int trial = 0; trial < 100; ++trial) {
    const Outcome outcome = outcome_of(
        [](Communicator& ranks, Contribution& mine) -> std::optional<Reduced> {
          const int rank = ranks.rank().index;
          if (rank == 0 && mine.step == 1) throw std::runtime_error("rank 0, step 1");
          if (rank == 1 && mine.step == 0) throw Decline("a decline is not the cause");
          if (rank == 2 && mine.step == 0) throw std::runtime_error("rank 2, step 0");
          return Reduced{.gradient = mine.gradient, .loss = {}, .count = {}, .norm = {}};
        },
        problem);
    ASSERT_EQ(std::get<Threw>(outcome).message, "rank 2, step 0");
  }
}

TEST(PerRankReducer, ADeclineIsNoDeadlockOfTheOthers) {
  const Outcome outcome = outcome_of([](Communicator& ranks, Contribution& mine) {
    if (ranks.rank().index == 0) throw Decline("no valid row");
    return std::optional(sum(ranks, mine));
  });
  EXPECT_EQ(std::get<Declined>(outcome).message, "no valid row");
  EXPECT_EQ(std::get<Declined>(outcome).rank, Rank{0});
}

TEST(PerRankReducer, SaysWhereEachRankOfADeadlockWaits) {
  const Outcome outcome = outcome_of([](Communicator& ranks, Contribution& mine) {
    double number = 0;
    if (ranks.rank().index == 0) {
      ranks.receive<double>(Rank{1}, std::span(&number, 1));
    }
    return std::optional(sum(ranks, mine));
  });
  const auto& waits = std::get<Deadlocked>(outcome).waits;
  ASSERT_EQ(waits.size(), 2U);
  EXPECT_EQ(waits[0], (Wait{.rank = Rank{0}, .what = Wait::For::message, .peer = Rank{1}}));
  EXPECT_EQ(waits[1], (Wait{.rank = Rank{1}, .what = Wait::For::barrier, .peer = Rank{0}}));
}

TEST(PerRankReducer, ANewTrialWorksAfterADeadlock) {
  std::atomic<bool> wait{true};
  const auto sometimes = subject([&](Communicator& ranks, Contribution& mine) {
    if (wait && ranks.rank().index == 0) ranks.barrier();
    return std::optional(sum(ranks, mine));
  });
  EXPECT_TRUE(std::holds_alternative<Deadlocked>(sometimes->run(two_ranks(), {})));
  wait = false;
  EXPECT_TRUE(std::holds_alternative<Returned>(sometimes->run(two_ranks(), {})));
  EXPECT_TRUE(sometimes->usable());
}

TEST(PerRankReducer, IsUnusableOnceARankIsStuckAndNamesIt) {
  const auto stop = std::make_shared<std::atomic<bool>>(false);
  const auto stuck = subject([stop](Communicator& ranks, Contribution& mine) {
    while (ranks.rank().index == 1 && !*stop) std::this_thread::yield();
    return std::optional(sum(ranks, mine));
  });
  const Outcome outcome = stuck->run(two_ranks(), {.timeout = std::chrono::milliseconds(200)});
  ASSERT_EQ(std::get<TimedOut>(outcome).stuck.size(), 1U);
  EXPECT_EQ(std::get<TimedOut>(outcome).stuck[0], Rank{1});
  EXPECT_FALSE(stuck->usable());
  *stop = true;
}

TEST(PerRankReducer, ARoundingModeThatTheReducerLeavesDoesNotReachTheContributions) {
  const SharedCase problem = case_of({{{{0.1}}, {{0.3}}}, {{{0.1}}, {{0.3}}}});
  const Outcome outcome = outcome_of(
      [](Communicator&, Contribution& mine) {
        std::fesetround(FE_UPWARD);
        return std::optional(
            Reduced{.gradient = mine.gradient, .loss = {}, .count = {}, .norm = {}});
      },
      problem);
  const auto& all = std::get<Returned>(outcome).contributions;
  EXPECT_EQ(values(all[0][0][0].gradient), values(all[1][0][0].gradient));
}

TEST(PerRankReducer, EqualCasesGiveEqualBits) {
  const SharedCase problem = case_of({{{{0.1, 0.7, 0.3}}, {{0.9, 1.1}}, {{0.2}}}});
  const auto one = subject(sum_last);
  const Outcome first = one->run(problem, {});
  for (int trial = 0; trial < 50; ++trial) {
    const Outcome again = one->run(problem, {});
    ASSERT_EQ(values(std::get<Returned>(first).results[0][2].gradient),
              values(std::get<Returned>(again).results[0][2].gradient));
  }
}

TEST(PerRankReducer, RefusesAnInconsistentClaim) {
  Claim claim;
  claim.target = Target::mean_over_ranks;
  claim.input = InputForm::global_mean;
  EXPECT_THROW(subject(sum_last, claim), InputError);
}

TEST(WithClaim, ChangesWhatTheRanksHandIn) {
  const SharedCase problem = case_of({{{{1, 1}}, {{1, 1}}}});
  Claim claim;
  claim.input = InputForm::local_sum;
  const auto sums = with_claim(subject(sum_last), claim);
  const Outcome outcome = sums->run(problem, {});
  EXPECT_EQ(values(std::get<Returned>(outcome).contributions[0][0][0].gradient),
            std::vector<double>{4});
  EXPECT_EQ(sums->claim(), claim);
}

/// Takes w - lr * (mean of its own rows' gradient), and records what it was handed.
class OwnStep final : public TrainStep {
 public:
  TrainResult step(Communicator&, TrainInput& input) override {
    const std::span<const double> w = std::as_const(input.parameters).values();
    TrainResult result{.loss = 0,
                       .gradient = Tree(input.parameters.shared_shape(), {2 * w[0]}),
                       .parameters = Tree(input.parameters.shared_shape(), {w[0] / 2}),
                       .count = {},
                       .norm = {}};
    if (input.step == 1) input.micro_batches[0].mask[0] = 0;
    return result;
  }
};

TEST(PerRankTrainStep, StartsFromTheParametersThatTheRankReturned) {
  const auto subject = per_rank("own", {}, [](const TrainSetup&) -> std::unique_ptr<TrainStep> {
    return std::make_unique<OwnStep>();
  });
  const Outcome outcome = subject->run(two_ranks(), {});
  const auto& returned = std::get<Returned>(outcome);
  EXPECT_EQ(subject->kind(), SubjectKind::train_step);
  EXPECT_EQ(values(returned.results[0][1].gradient), std::vector<double>{2});
  EXPECT_EQ(values(returned.results[1][1].gradient), std::vector<double>{1});
  EXPECT_EQ(values(*returned.results[1][1].parameters), std::vector<double>{0.25});
  ASSERT_TRUE(returned.input_change);
  EXPECT_EQ(returned.input_change->step, 1);
  EXPECT_EQ(returned.input_change->rank, Rank{0});
  EXPECT_EQ(returned.input_change->what, "mask[0]");
}

}  // namespace
}  // namespace shardproof
