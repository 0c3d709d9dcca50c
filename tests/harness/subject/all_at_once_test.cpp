#include "shardproof/subject/all_at_once.h"

#include <gtest/gtest.h>

#include "harness/subject/cases.h"

namespace shardproof {
namespace {

using test::two_ranks;

Reduced sum(std::span<std::vector<Contribution>> contributions, Dtype) {
  Reduced reduced{.gradient = Tree(contributions[0][0].gradient.shared_shape()),
                  .loss = {},
                  .count = {},
                  .norm = {}};
  for (const std::vector<Contribution>& shard : contributions) {
    for (const Contribution& one : shard) {
      for (std::size_t i = 0; i < one.gradient.values().size(); ++i) {
        reduced.gradient.values()[i] += one.gradient.values()[i];
      }
    }
  }
  return reduced;
}

TEST(AllAtOnce, GivesItsResultToEveryRank) {
  const Outcome outcome = all_at_once("sum", {}, sum)->run(two_ranks(), {});
  const auto& returned = std::get<Returned>(outcome);
  for (std::size_t r = 0; r < 2; ++r) {
    EXPECT_EQ(returned.results[0][r].gradient.values()[0], 10);
    EXPECT_EQ(returned.results[1][r].gradient.values()[0], 50);
  }
  EXPECT_FALSE(returned.input_change);
}

TEST(AllAtOnce, FindsAChangeOfItsInputs) {
  const auto changes = [](std::span<std::vector<Contribution>> contributions, Dtype dtype) {
    Reduced reduced = sum(contributions, dtype);
    contributions[1][0].gradient.values()[0] = 0;
    return reduced;
  };
  const Outcome outcome = all_at_once("changes", {}, changes)->run(two_ranks(), {});
  const auto& returned = std::get<Returned>(outcome);
  ASSERT_TRUE(returned.input_change);
  EXPECT_EQ(returned.input_change->rank, Rank{1});
  EXPECT_EQ(returned.input_change->before, 8);
  EXPECT_EQ(returned.contributions[0][1][0].gradient.values()[0], 8);
}

TEST(AllAtOnce, TurnsWhatItsFunctionThrowsIntoAnOutcome) {
  const auto throws = [](auto thrown) {
    return all_at_once(
               "throws", {},
               [thrown](std::span<std::vector<Contribution>>, Dtype) -> Reduced { throw thrown; })
        ->run(two_ranks(), {});
  };
  EXPECT_EQ(std::get<Declined>(throws(Decline("no"))).message, "no");
  EXPECT_EQ(std::get<Threw>(throws(std::runtime_error("broken"))).message, "broken");
  EXPECT_EQ(std::get<Threw>(throws(1)).message, "unknown exception");
}

TEST(AllAtOnce, ATreeOfTheWrongSizeIsNoResult) {
  const Outcome outcome = all_at_once("none", {}, [](std::span<std::vector<Contribution>>, Dtype) {
                            return Reduced{};
                          })->run(two_ranks(), {});
  EXPECT_EQ(std::get<Misbehaved>(outcome).what, "returned a tree of 0 elements instead of 1");
}

}  // namespace
}  // namespace shardproof
