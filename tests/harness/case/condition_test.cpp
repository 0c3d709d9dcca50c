#include "shardproof/case/condition.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace shardproof {
namespace {

/// Rows of one micro-batch: how many are valid, how many padded.
using Rows = std::pair<int, int>;

/// [shard][micro-batch]
Step step_of(const std::vector<std::vector<Rows>>& shards) {
  Step step;
  for (const auto& micro_batches : shards) {
    Shard& shard = step.shards.emplace_back();
    for (const auto& [valid, padded] : micro_batches) {
      MicroBatch& batch = shard.micro_batches.emplace_back();
      batch.mask.assign(static_cast<std::size_t>(valid), 1);
      batch.mask.insert(batch.mask.end(), static_cast<std::size_t>(padded), 0);
    }
  }
  return step;
}

constexpr auto kEqual = Condition::equal;
constexpr auto kUnequal = Condition::unequal;
constexpr auto kPadded = Condition::padded;
constexpr auto kEmpty = Condition::empty;

TEST(Conditions, OfAStepAreNamedByItsRows) {
  EXPECT_EQ(conditions(step_of({{{2, 0}}, {{2, 0}}})), ConditionSet{kEqual});
  EXPECT_EQ(conditions(step_of({{{2, 0}}, {{1, 0}}})), ConditionSet{kUnequal});
  EXPECT_EQ(conditions(step_of({{{2, 0}}, {{1, 1}}})), ConditionSet{kPadded});
  EXPECT_EQ(conditions(step_of({{{2, 1}}, {{1, 1}}})), (ConditionSet{kPadded, kUnequal}));
  EXPECT_EQ(conditions(step_of({{{2, 0}}, {{0, 0}}})), ConditionSet{kEmpty});
  EXPECT_EQ(conditions(step_of({{{1, 0}}, {{0, 2}}})), (ConditionSet{kEmpty, kPadded}));
  EXPECT_EQ(conditions(step_of({{{1, 0}}, {{2, 0}}, {{0, 0}}})), (ConditionSet{kEmpty, kUnequal}));
}

TEST(Conditions, OfMicroBatchesCountLikeShards) {
  EXPECT_EQ(conditions(step_of({{{1, 0}, {1, 0}}})), ConditionSet{kEqual});
  EXPECT_EQ(conditions(step_of({{{1, 0}, {2, 0}}})), ConditionSet{kUnequal});
  // Nothing in a micro-batch of a shard that has rows elsewhere: its counts are unlike.
  EXPECT_EQ(conditions(step_of({{{1, 0}, {0, 0}}})), ConditionSet{kUnequal});
}

TEST(Conditions, HoldOfEveryStepThereIs) {
  for (const std::vector<std::vector<Rows>>& shards : {std::vector<std::vector<Rows>>{{{0, 0}}},
                                                       {{{0, 1}}},
                                                       {{{0, 0}, {1, 0}}, {{0, 0}, {0, 0}}},
                                                       {{{1, 0}}, {{0, 1}}}}) {
    EXPECT_FALSE(conditions(step_of(shards)).none());
  }
}

TEST(Conditions, OfACaseAreThoseOfAllItsSteps) {
  Case problem;
  problem.steps = {step_of({{{1, 0}}, {{1, 0}}}), step_of({{{1, 0}}, {{2, 0}}})};
  EXPECT_EQ(conditions(problem), (ConditionSet{kEqual, kUnequal}));
  EXPECT_EQ(describe(conditions(problem)), "equal, unequal");
}

TEST(ConditionNames, ReadBack) {
  for (Condition condition : kAllConditions) EXPECT_EQ(parse_condition(name(condition)), condition);
  EXPECT_FALSE(parse_condition("even"));
}

}  // namespace
}  // namespace shardproof
