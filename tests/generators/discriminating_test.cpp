#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "shardproof/case/error.h"
#include "shardproof/generators/cases.h"
#include "shardproof/generators/models.h"

namespace shardproof {
namespace {

std::vector<Case> discriminating(const Claim& claim) {
  return discriminating_cases(claim, SubjectKind::reducer, Dtype::f32, {});
}

TEST(DiscriminatingCases, HaveWorldMicroBatchesCountsPaddingAndLeavesUnlike) {
  const Case problem = discriminating({}).front();
  EXPECT_EQ(problem.world_size().value, 5);
  EXPECT_EQ(problem.steps.size(), 2U);
  const Step& step = problem.steps.front();
  EXPECT_EQ(step.micro_batches(), 3);
  std::vector<std::int64_t> valid;
  std::vector<std::int64_t> padding;
  for (const Shard& shard : step.shards) {
    std::int64_t rows = 0;
    for (const MicroBatch& batch : shard.micro_batches) rows += batch.rows();
    valid.push_back(shard.valid().value);
    padding.push_back(rows - shard.valid().value);
  }
  EXPECT_EQ(valid, (std::vector<std::int64_t>{7, 3, 1, 0, 2}));
  EXPECT_EQ(padding, (std::vector<std::int64_t>{0, 4, 6, 7, 5}));
  std::multiset<std::size_t> lengths;
  const SharedShape shape = tree_shape(problem.model);
  for (const LeafShape& leaf : shape->leaves) lengths.insert(leaf.size());
  EXPECT_EQ(lengths, (std::multiset<std::size_t>{1, 2, 11, 22}));
}

void expect_no_zero_residual(const Model& model, const MicroBatch& rows) {
  for (std::size_t row = 0; row < rows.mask.size(); ++row) {
    if (rows.mask[row] == 0) continue;
    const double* x = rows.x.data() + row * static_cast<std::size_t>(model.features);
    const double* y = rows.y.data() + row * static_cast<std::size_t>(model.outputs());
    for (int k = 0; k < model.outputs(); ++k) EXPECT_NE(prediction(model, x, k), y[k]);
  }
}

TEST(DiscriminatingCases, HaveNoValidRowWithoutAResidual) {
  for (const Case& problem : discriminating({})) {
    for (const Step& step : problem.steps) {
      for (const Shard& shard : step.shards) {
        for (const MicroBatch& rows : shard.micro_batches) {
          expect_no_zero_residual(problem.model, rows);
        }
      }
    }
  }
}

void expect_inside(const Claim& claim) {
  for (const Case& problem : discriminating(claim)) {
    EXPECT_NO_THROW(validate(problem));
    EXPECT_EQ(excluded_by(claim, problem), std::nullopt)
        << describe(claim.conditions) << ", world " << claim.min_world;
    EXPECT_EQ(problem.world_size().value, claim.min_world);
    EXPECT_GE(problem.steps.size(), 2U);
    for (const Step& step : problem.steps) EXPECT_GT(step.valid().value, 0);
  }
}

TEST(DiscriminatingCases, StayInsideEveryClaim) {
  for (int bits = 1; bits < 16; ++bits) {
    Claim claim;
    claim.conditions = {};
    for (const Condition condition : kAllConditions) {
      if ((bits >> static_cast<int>(condition) & 1) != 0) claim.conditions.insert(condition);
    }
    for (int world = 1; world <= 8; ++world) {
      if (claim.conditions == ConditionSet{Condition::empty} && world == 1) continue;
      claim.min_world = world;
      claim.max_world = world;
      expect_inside(claim);
    }
  }
}

TEST(DiscriminatingCases, OfEqualShardsKeepThreeMicroBatchesOnFiveRanks) {
  Claim claim;
  claim.conditions = {Condition::equal};
  const Case problem = discriminating(claim).front();
  EXPECT_EQ(problem.world_size().value, 5);
  EXPECT_EQ(problem.steps.front().micro_batches(), 3);
  EXPECT_EQ(conditions(problem), ConditionSet{Condition::equal});
}

TEST(DiscriminatingCases, AreTheSameEveryTime) {
  EXPECT_TRUE(discriminating({}).front() == discriminating({}).front());
}

TEST(DiscriminatingCases, HaveTheDtypeAskedForOrAreRefused) {
  for (const Case& problem : discriminating({})) EXPECT_EQ(problem.dtype, Dtype::f32);
  Claim claim;
  claim.only_dtype = Dtype::f64;
  EXPECT_THROW(discriminating(claim), InputError);
}

}  // namespace
}  // namespace shardproof
