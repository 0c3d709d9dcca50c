#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <limits>
#include <memory>
#include <thread>

#include "shardproof/properties/suite.h"
#include "shardproof/run/report.h"
#include "shardproof/subject/per_rank.h"

namespace shardproof {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// What a rank does instead of answering, or to its answer; nothing: what is right.
using Mischief =
    std::function<std::optional<Reduced>(Communicator&, Contribution&, std::optional<Reduced>)>;

/// Whether the reducers misbehave now. Shared with threads that may outlive a test.
using Switch = std::shared_ptr<std::atomic<bool>>;

/// Sums up what it is handed: its own micro-batches, then by messages over the ranks.
class Sum final : public Reducer {
 public:
  Sum(const ReducerSetup& setup, Mischief mischief, Switch misbehave)
      : dtype_(setup.dtype), mischief_(std::move(mischief)), misbehave_(std::move(misbehave)) {}

  std::optional<Reduced> contribute(Communicator& ranks, Contribution& mine) override {
    if (mine.micro_batch == 0) own_ = Tree(mine.gradient.shared_shape());
    add(own_, std::as_const(mine.gradient).values());
    std::optional<Reduced> answer;
    if (mine.last) answer = all_reduced(ranks);
    return *misbehave_ ? mischief_(ranks, mine, std::move(answer)) : std::move(answer);
  }

 private:
  void add(Tree& to, std::span<const double> values) const {
    const std::span<double> sums = to.values();
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = round_to(dtype_, sums[i] + values[i]);
  }
  [[nodiscard]] Reduced all_reduced(Communicator& ranks) const {
    Reduced reduced{.gradient = Tree(own_.shared_shape()), .loss = {}, .count = {}, .norm = {}};
    const int size = ranks.world_size().value;
    for (int r = 0; r < size; ++r) ranks.send<double>(Rank{r}, own_.values());
    std::vector<double> theirs(own_.values().size());
    for (int r = 0; r < size; ++r) {
      ranks.receive<double>(Rank{r}, std::span(theirs));
      add(reduced.gradient, theirs);
    }
    return reduced;
  }

  Dtype dtype_;
  Mischief mischief_;
  Switch misbehave_;
  Tree own_;
};

bool is_last_rank(const Communicator& ranks) {
  return ranks.rank().index + 1 == ranks.world_size().value;
}

void send_one(Communicator& ranks, int to) {
  const double wrong = 1000;
  ranks.send<double>(Rank{to}, std::span(&wrong, 1));
}

double receive_one(Communicator& ranks, int from) {
  double value = 0;
  ranks.receive<double>(Rank{from}, std::span(&value, 1));
  return value;
}

struct Hostile {
  Switch misbehave = std::make_shared<std::atomic<bool>>(true);
  std::unique_ptr<Subject> subject;
  Failure failure;
  RunResult result;
};

Claim claimed() {
  Claim claim;
  claim.target = Target::sum;
  claim.conditions = {Condition::equal, Condition::unequal, Condition::padded};
  claim.min_world = 2;
  return claim;
}

RunResult checked(Subject& subject, milliseconds timeout) {
  CheckOptions options;
  options.draw.min_world = 2;
  options.draw.max_world = 5;
  options.run.cases = 40;
  options.run.limits.timeout = timeout;
  return check(subject, std::move(options));
}

/// Checks a reducer of that mischief.
Hostile hostile(Mischief mischief, milliseconds timeout = seconds(60)) {
  Hostile hostile;
  hostile.subject = per_rank(
      "<\"hostile\" & 'co'>", claimed(),
      [mischief = std::move(mischief), misbehave = hostile.misbehave](const ReducerSetup& setup) {
        return std::make_unique<Sum>(setup, mischief, misbehave);
      });
  hostile.result = checked(*hostile.subject, timeout);
  EXPECT_TRUE(hostile.result.finding);
  if (hostile.result.finding) hostile.failure = hostile.result.finding->minimal.failure;
  return hostile;
}

/// The failure's kind and sentence; and nothing of it remains once the reducer does what is right.
void expect_failure(Mischief mischief, FailureKind kind, std::string_view part) {
  Hostile bad = hostile(std::move(mischief));
  EXPECT_EQ(name(bad.failure.kind), name(kind)) << bad.failure.sentence;
  EXPECT_NE(bad.failure.sentence.find(part), std::string::npos) << bad.failure.sentence;
  ASSERT_TRUE(bad.subject->usable());
  *bad.misbehave = false;
  const RunResult after = checked(*bad.subject, seconds(60));
  EXPECT_FALSE(after.finding) << after.finding->minimal.failure.sentence;
  EXPECT_EQ(after.cases, 40);
}

TEST(HostileReducer, ThatThrowsOnOneRankIsNamedWithIt) {
  expect_failure(
      [](Communicator& ranks, Contribution&, std::optional<Reduced> answer) {
        if (is_last_rank(ranks)) throw std::runtime_error("broken\x1b[31m\nfor good");
        return answer;
      },
      FailureKind::threw, "rank 1 threw: broken?[31m for good");
}

TEST(HostileReducer, ThatThrowsNoStandardExceptionIsNamedAsWell) {
  expect_failure(
      [](Communicator& ranks, Contribution&, std::optional<Reduced> answer) {
        if (is_last_rank(ranks)) throw 42;
        ranks.barrier();
        return answer;
      },
      FailureKind::threw, "rank 1 threw: unknown exception");
}

TEST(HostileReducer, ThatDeadlocksIsFoundWithoutAClock) {
  expect_failure(
      [](Communicator& ranks, Contribution&, std::optional<Reduced> answer) {
        // Messages and slots of the trial that is cancelled must not reach the next.
        for (int r = 0; r < ranks.world_size().value; ++r) send_one(ranks, r);
        ranks.publish<double>(answer ? std::as_const(answer->gradient).values()
                                     : std::span<const double>());
        const int next = (ranks.rank().index + 1) % ranks.world_size().value;
        receive_one(ranks, next);
        receive_one(ranks, next);
        return answer;
      },
      FailureKind::deadlocked, "rank 0 waits for a message from rank 1");
}

TEST(HostileReducer, ThatSwallowsItsCancellationIsDeadlockedAllTheSame) {
  expect_failure(
      [](Communicator& ranks, Contribution&, std::optional<Reduced> answer) {
        for (int i = 0; i < 3; ++i) {
          try {
            receive_one(ranks, ranks.rank().index);
          } catch (...) {
            continue;
          }
        }
        try {
          send_one(ranks, 0);
        } catch (...) {
          return answer;
        }
        return answer;
      },
      FailureKind::deadlocked, "rank 0 waits for a message from rank 0");
}

TEST(HostileReducer, ThatReturnsEarlyOnOneRankLeavesTheOthersWaiting) {
  expect_failure(
      [](Communicator& ranks, Contribution&, std::optional<Reduced> answer) {
        if (!is_last_rank(ranks)) ranks.barrier();
        return answer;
      },
      FailureKind::deadlocked, "rank 0 waits at a barrier; all others have ended");
}

TEST(HostileReducer, ThatLeavesMessagesBehindSpoilsItsOwnTrialOnly) {
  expect_failure(
      [](Communicator& ranks, Contribution&, std::optional<Reduced> answer) {
        const std::vector<float> wrong(1000);
        for (int r = 0; r < ranks.world_size().value; ++r) {
          ranks.send<float>(Rank{r}, std::span(wrong));
        }
        return answer;
      },
      FailureKind::threw, "whose message has 4000");
}

TEST(HostileReducer, ThatTalksToARankThatIsNotThereIsTold) {
  expect_failure(
      [](Communicator& ranks, Contribution&, std::optional<Reduced> answer) {
        send_one(ranks, is_last_rank(ranks) ? -1 : 0);
        return answer;
      },
      FailureKind::threw, "send to rank -1 in a world of 2");
  expect_failure(
      [](Communicator& ranks, Contribution&, std::optional<Reduced> answer) {
        if (is_last_rank(ranks)) (void)ranks.slot<double>(Rank{64});
        return answer;
      },
      FailureKind::threw, "slot of rank 64 in a world of 2");
}

TEST(HostileReducer, ThatGivesNoResultOrAnotherShapeMisbehaves) {
  expect_failure(
      [](Communicator&, Contribution&, std::optional<Reduced> answer) {
        if (answer) answer->gradient = Tree();
        return answer;
      },
      FailureKind::misbehaved, "rank 0: returned a tree of 0 elements instead of ");
  expect_failure(
      [](Communicator&, Contribution&, std::optional<Reduced>) { return std::optional<Reduced>(); },
      FailureKind::misbehaved, "rank 0: returned nothing for the last micro-batch");
  expect_failure(
      [](Communicator&, Contribution& mine, std::optional<Reduced> answer) {
        if (!answer)
          answer = Reduced{.gradient = mine.gradient, .loss = {}, .count = {}, .norm = {}};
        return answer;
      },
      FailureKind::misbehaved, "rank 0: returned before the last micro-batch");
}

TEST(HostileReducer, ThatReturnsNanOrInfinityIsRefuted) {
  for (const double wrong :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity(), 1e300, 5e-324}) {
    expect_failure(
        [wrong](Communicator&, Contribution&, std::optional<Reduced> answer) {
          if (answer) answer->gradient.values().back() = wrong;
          return answer;
        },
        FailureKind::wrong_gradient, " returned ");
    expect_failure(
        [wrong](Communicator&, Contribution&, std::optional<Reduced> answer) {
          if (answer) answer->count = wrong;
          return answer;
        },
        FailureKind::wrong_count, " returned ");
    expect_failure(
        [wrong](Communicator&, Contribution&, std::optional<Reduced> answer) {
          if (answer) answer->norm = -wrong;
          return answer;
        },
        FailureKind::wrong_norm, " returned ");
    expect_failure(
        [wrong](Communicator&, Contribution&, std::optional<Reduced> answer) {
          if (answer) answer->loss = wrong;
          return answer;
        },
        FailureKind::wrong_loss, " returned ");
  }
}

TEST(HostileReducer, ThatMovesItsInputAwayIsSeen) {
  expect_failure(
      [](Communicator&, Contribution& mine, std::optional<Reduced> answer) {
        mine.gradient = Tree();
        mine.last = true;
        mine.step = -5;
        return answer;
      },
      FailureKind::input_changed, "");
}

TEST(HostileReducer, ThatAnswersForeverIsCancelledAndNeverShrunk) {
  const auto begin = std::chrono::steady_clock::now();
  const Hostile bad = hostile(
      [](Communicator& ranks, Contribution&, std::optional<Reduced>) -> std::optional<Reduced> {
        while (true) ranks.barrier();
      },
      milliseconds(50));
  EXPECT_EQ(name(bad.failure.kind), name(FailureKind::hung));
  EXPECT_EQ(bad.result.cases, 1);
  EXPECT_EQ(bad.result.finding->executions_to_shrink, 0);
  EXPECT_TRUE(bad.subject->usable());
  EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(20));
}

TEST(HostileReducer, ThatIsStuckOnOneRankIsAbandonedAndTheRunEnds) {
  const auto stop = std::make_shared<std::atomic<bool>>(false);
  const auto stopped = std::make_shared<std::atomic<bool>>(false);
  const Hostile bad = hostile(
      [stop, stopped](Communicator& ranks, Contribution&, std::optional<Reduced> answer) {
        if (is_last_rank(ranks)) {
          while (!*stop) std::this_thread::yield();
          *stopped = true;
        }
        return answer;
      },
      milliseconds(50));
  EXPECT_EQ(name(bad.failure.kind), name(FailureKind::hung));
  EXPECT_EQ(bad.result.cases, 1);
  EXPECT_FALSE(bad.subject->usable());
  EXPECT_NE(bad.failure.sentence.find("nothing more is tried"), std::string::npos);
  *stop = true;
  while (!*stopped) std::this_thread::yield();
}

TEST(HostileReducer, ThatIsSlowOnceIsGivenASecondTime) {
  const auto executions = std::make_shared<std::atomic<int>>(0);
  const auto subject = per_rank("slow", claimed(), [executions](const ReducerSetup& setup) {
    const Mischief sleep = [](Communicator& ranks, Contribution& mine,
                              std::optional<Reduced> answer) {
      if (mine.step == 0 && mine.micro_batch == 0) {
        std::this_thread::sleep_for(milliseconds(600));
        ranks.barrier();
      }
      return answer;
    };
    const bool first = ++*executions <= 2;
    return std::make_unique<Sum>(setup, sleep, std::make_shared<std::atomic<bool>>(first));
  });
  CheckOptions options;
  options.draw.min_world = options.draw.max_world = 2;
  options.run.cases = 3;
  options.run.limits.timeout = milliseconds(300);
  const RunResult result = check(*subject, std::move(options));
  EXPECT_FALSE(result.finding) << result.finding->minimal.failure.sentence;
  EXPECT_EQ(result.cases, 3);
}

TEST(HostileReducer, ReportsStayOneDocumentWhateverItsNameAndMessageHold) {
  const Hostile bad =
      hostile([](Communicator&, Contribution&, std::optional<Reduced>) -> std::optional<Reduced> {
        throw std::runtime_error("]]> <failure> \"&\x01\x1b\xff\xef\xbf\xbe\n</testsuite>");
      });
  const ReportHeader header{.subject = bad.subject->name(), .claim = bad.subject->claim()};
  const std::string junit = junit_report(header, bad.result);
  EXPECT_EQ(junit.find("<failure>"), std::string::npos);
  EXPECT_EQ(junit.find("\xef\xbf\xbe"), std::string::npos);
  for (const char c : junit + text_report(header, bad.result)) {
    EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20) << static_cast<int>(c);
  }
}

}  // namespace
}  // namespace shardproof
