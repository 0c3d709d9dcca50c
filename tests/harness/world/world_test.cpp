#include "shardproof/world/world.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cfenv>
#include <limits>
#include <numeric>
#include <thread>

namespace shardproof {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr auto kPatient = seconds(60);

WorldReport run(World& world, int size, World::Body body, std::vector<int> arrival = {},
                std::chrono::nanoseconds timeout = kPatient) {
  return world.run(WorldSize{size}, std::make_shared<const World::Body>(std::move(body)), arrival,
                   timeout);
}

void send_number(Communicator& ranks, int to, double value) {
  ranks.send<double>(Rank{to}, std::span(&value, 1));
}
double receive_number(Communicator& ranks, int from) {
  double value = 0;
  ranks.receive<double>(Rank{from}, std::span(&value, 1));
  return value;
}

/// Every rank waits for the next one, whose message never comes.
void wait_in_a_circle(Communicator& ranks) {
  receive_number(ranks, (ranks.rank().index + 1) % ranks.world_size().value);
}

/// The barrier works: everybody sees everybody's number.
bool works(World& world, int size) {
  std::atomic<int> right{0};
  const WorldReport report = run(world, size, [&](Communicator& ranks) {
    const int mine = ranks.rank().index;
    const std::vector<int> all = ranks.all_gather<int>(std::span(&mine, 1));
    std::vector<int> expected(static_cast<std::size_t>(ranks.world_size().value));
    std::iota(expected.begin(), expected.end(), 0);
    if (all == expected) ++right;
  });
  return report.all_returned() && right == size;
}

TEST(World, GathersFromOneToSixtyFourRanksOnTheSameThreads) {
  World world;
  for (int size = 1; size <= 64; ++size) EXPECT_TRUE(works(world, size)) << size << " ranks";
  EXPECT_TRUE(works(world, 3));
}

TEST(World, MessagesBetweenTwoRanksArriveInOrder) {
  constexpr int kMessages = 1000;
  World world;
  std::atomic<int> in_order{0};
  const WorldReport report = run(world, 3, [&](Communicator& ranks) {
    const int next = (ranks.rank().index + 1) % 3;
    const int previous = (ranks.rank().index + 2) % 3;
    for (int i = 0; i < kMessages; ++i) send_number(ranks, next, i);
    for (int i = 0; i < kMessages; ++i) in_order += receive_number(ranks, previous) == i ? 1 : 0;
  });
  EXPECT_TRUE(report.all_returned());
  EXPECT_EQ(in_order, 3 * kMessages);
}

TEST(World, AMessageToOneselfIsReceived) {
  World world;
  double received = 0;
  const WorldReport report = run(world, 1, [&](Communicator& ranks) {
    send_number(ranks, 0, 7);
    received = receive_number(ranks, 0);
  });
  EXPECT_TRUE(report.all_returned());
  EXPECT_EQ(received, 7);
}

TEST(World, UnreadMessagesAreGoneInTheNextTrial) {
  World world;
  run(world, 2, [](Communicator& ranks) { send_number(ranks, 1 - ranks.rank().index, 1); });
  std::atomic<int> sum{0};
  const WorldReport report = run(world, 2, [&](Communicator& ranks) {
    send_number(ranks, 1 - ranks.rank().index, 10);
    sum += static_cast<int>(receive_number(ranks, 1 - ranks.rank().index));
  });
  EXPECT_TRUE(report.all_returned());
  EXPECT_EQ(sum, 20);
}

TEST(World, ASlotShowsWhatWasPublishedBeforeTheLastBarrierOnly) {
  World world;
  std::atomic<int> wrong{0};
  run(world, 2, [&](Communicator& ranks) {
    const Rank other{1 - ranks.rank().index};
    int mine = 10 + ranks.rank().index;
    ranks.publish<int>(std::span(&mine, 1));
    if (!ranks.slot<int>(other).empty()) ++wrong;  // no barrier yet
    ranks.barrier();
    if (ranks.slot<int>(other).front() != 10 + other.index) ++wrong;
    ranks.barrier();
    if (!ranks.slot<int>(other).empty()) ++wrong;  // nothing was published since
  });
  EXPECT_EQ(wrong, 0);
}

TEST(World, AWrongPeerOrLengthIsAnErrorOfTheCaller) {
  World world;
  const WorldReport report = run(world, 2, [](Communicator& ranks) {
    if (ranks.rank().index == 0) send_number(ranks, 2, 0);
    const float mine = 1;
    ranks.send<float>(Rank{1}, std::span(&mine, 1));
    receive_number(ranks, 1);
  });
  EXPECT_EQ(std::get<RankThrew>(report.ranks[0]).message, "rank 0: send to rank 2 in a world of 2");
  EXPECT_EQ(std::get<RankThrew>(report.ranks[1]).message,
            "rank 1 receives 8 bytes from rank 1, whose message has 4");
}

TEST(World, NoFirstCallReturnsBeforeThoseEarlierInTheOrderOfArrivalHaveBegun) {
  World world;
  const std::vector<std::size_t> order{3, 0, 4, 1, 2};
  for (int trial = 0; trial < 50; ++trial) {
    std::atomic<int> now{0};
    std::array<int, 5> before{};
    std::array<int, 5> after{};
    const WorldReport report = run(world, 5,
                                   [&](Communicator& ranks) {
                                     const auto me = static_cast<std::size_t>(ranks.rank().index);
                                     // Without an order those after rank 1 would not wait for it.
                                     if (me == 1) std::this_thread::sleep_for(milliseconds(1));
                                     before[me] = now++;
                                     send_number(ranks, ranks.rank().index, 0);
                                     after[me] = now++;
                                   },
                                   {order.begin(), order.end()});
    ASSERT_TRUE(report.all_returned());
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (std::size_t j = i + 1; j < order.size(); ++j) {
        ASSERT_LT(before[order[i]], after[order[j]]) << order[i] << " before " << order[j];
      }
    }
  }
}

TEST(World, ARankThatMakesNoCallEntersByReturning) {
  World world;
  const WorldReport report = run(world, 3,
                                 [](Communicator& ranks) {
                                   if (ranks.rank().index == 2) return;
                                   send_number(ranks, 1 - ranks.rank().index, 1);
                                   receive_number(ranks, 1 - ranks.rank().index);
                                 },
                                 {2, 1, 0});
  EXPECT_TRUE(report.all_returned());
}

TEST(World, ADeadlockIsFoundWithoutAClockAndReportedTheSameAThousandTimes) {
  World world;
  const auto begin = std::chrono::steady_clock::now();
  for (int trial = 0; trial < 1000; ++trial) {
    const WorldReport report = run(world, 4, wait_in_a_circle);
    ASSERT_TRUE(report.deadlocked);
    ASSERT_FALSE(report.timed_out);
    for (int r = 0; r < 4; ++r) {
      const auto& cancelled = std::get<RankCancelled>(report.ranks[static_cast<std::size_t>(r)]);
      ASSERT_EQ(cancelled.wait,
                (Wait{.rank = Rank{r}, .what = Wait::For::message, .peer = Rank{(r + 1) % 4}}));
    }
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, kPatient);
  EXPECT_TRUE(world.usable());
  EXPECT_TRUE(works(world, 4));
}

TEST(World, ARankThatReturnsEarlyLeavesTheOthersInADeadlock) {
  World world;
  const WorldReport report = run(world, 3, [](Communicator& ranks) {
    if (ranks.rank().index != 1) ranks.barrier();
  });
  EXPECT_TRUE(report.deadlocked);
  EXPECT_TRUE(std::holds_alternative<RankReturned>(report.ranks[1]));
  EXPECT_EQ(std::get<RankCancelled>(report.ranks[0]).wait.what, Wait::For::barrier);
  EXPECT_EQ(std::get<RankCancelled>(report.ranks[2]).wait.what, Wait::For::barrier);
}

TEST(World, WhatABodyThrowsIsToldApart) {
  World world;
  const WorldReport report = run(world, 4, [](Communicator& ranks) {
    switch (ranks.rank().index) {
      case 0:
        throw Decline("no valid row");
      case 1:
        throw std::runtime_error("broken");
      case 2:
        throw 42;
      default:
        ranks.barrier();
    }
  });
  EXPECT_EQ(std::get<RankDeclined>(report.ranks[0]).message, "no valid row");
  EXPECT_EQ(std::get<RankThrew>(report.ranks[1]).message, "broken");
  EXPECT_EQ(std::get<RankThrew>(report.ranks[2]).message, "unknown exception");
  EXPECT_TRUE(std::holds_alternative<RankCancelled>(report.ranks[3]));
  EXPECT_TRUE(report.deadlocked);
  EXPECT_TRUE(works(world, 4));
}

TEST(World, ARankThatSwallowsItsCancellationIsCancelledAllTheSame) {
  World world;
  std::atomic<int> cancellations{0};
  const WorldReport report = run(world, 2, [&](Communicator& ranks) {
    for (int i = 0; i < 3; ++i) {
      try {
        receive_number(ranks, ranks.rank().index);
      } catch (...) {
        ++cancellations;
      }
    }
  });
  EXPECT_EQ(cancellations, 6);
  EXPECT_TRUE(report.deadlocked);
  for (const RankEnd& end : report.ranks) {
    EXPECT_EQ(std::get<RankCancelled>(end).wait.what, Wait::For::message);
  }
  EXPECT_TRUE(works(world, 2));
}

TEST(World, RanksThatNeverStopCallingAreCancelledWhenTimeRunsOut) {
  World world;
  const WorldReport report = run(
      world, 2,
      [](Communicator& ranks) {
        while (true) ranks.barrier();
      },
      {}, milliseconds(200));
  EXPECT_TRUE(report.timed_out);
  EXPECT_FALSE(report.deadlocked);
  EXPECT_TRUE(std::holds_alternative<RankCancelled>(report.ranks[0]));
  EXPECT_TRUE(world.usable());
  EXPECT_TRUE(works(world, 2));
}

TEST(World, ARankThatIsMerelySlowIsNotAbandoned) {
  World world;
  const WorldReport report = run(
      world, 2,
      [](Communicator& ranks) {
        if (ranks.rank().index == 0) std::this_thread::sleep_for(milliseconds(300));
      },
      {}, milliseconds(200));
  EXPECT_TRUE(report.timed_out);
  EXPECT_TRUE(report.all_returned());
  ASSERT_EQ(report.running.size(), 1U);
  EXPECT_EQ(report.running[0], Rank{0});
  EXPECT_TRUE(world.usable());
}

TEST(World, ARankStuckInItsOwnLoopIsAbandonedWithAllThatItReaches) {
  // Owned by the body too: the stuck thread still reads it when this test has gone on.
  const auto stop = std::make_shared<std::atomic<bool>>(false);
  {
    World world;
    const WorldReport report = run(
        world, 3,
        [stop](Communicator& ranks) {
          if (ranks.rank().index != 1) return ranks.barrier();
          while (!*stop) std::this_thread::yield();
          ranks.barrier();
        },
        {}, milliseconds(100));
    EXPECT_TRUE(report.timed_out);
    EXPECT_TRUE(std::holds_alternative<RankStuck>(report.ranks[1]));
    EXPECT_TRUE(std::holds_alternative<RankCancelled>(report.ranks[0]));
    EXPECT_FALSE(world.usable());
    EXPECT_TRUE(any_thread_abandoned());
  }
  World next;
  EXPECT_TRUE(works(next, 3));
  EXPECT_GT(stop.use_count(), 1);
  *stop = true;
  while (stop.use_count() > 1) std::this_thread::yield();  // the thread has let go of all
}

TEST(World, EveryTrialBeginsRoundingToNearest) {
  World world;
  run(world, 2, [](Communicator&) { std::fesetround(FE_UPWARD); });
  std::atomic<int> nearest{0};
  run(world, 2, [&](Communicator&) { nearest += std::fegetround() == FE_TONEAREST ? 1 : 0; });
  EXPECT_EQ(nearest, 2);
}

}  // namespace
}  // namespace shardproof
