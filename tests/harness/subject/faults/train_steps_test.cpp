#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "harness/subject/hand_case.h"

namespace shardproof {
namespace {

/// Rows of feature 1 and label y.
MicroBatch rows(const std::vector<double>& labels, const std::vector<double>& padded = {}) {
  MicroBatch batch;
  batch.y = labels;
  batch.y.insert(batch.y.end(), padded.begin(), padded.end());
  batch.x.assign(batch.y.size(), 1.0);
  batch.mask.assign(labels.size(), 1);
  batch.mask.resize(batch.y.size(), 0);
  return batch;
}

/// Model w x at w = 1, learning rate 1/2. Rank 0 holds three rows of residual 1 (gradient 2, loss
/// 1), rank 1 one row of residual 5 (gradient 10, loss 25): the mean gradient is 16/4, the mean
/// loss 28/4, and w becomes -1.
SharedCase two_ranks(const std::vector<double>& padded = {}, int steps = 1) {
  Case problem;
  problem.model = {.features = 1, .layers = {{.outputs = 1, .bias = false}}, .parameters = {1}};
  const Step step{{Shard{{rows({0, 0, 0}, padded)}}, Shard{{rows({-4})}}}};
  problem.steps.assign(static_cast<std::size_t>(steps), step);
  problem.mesh.axes[0].size = 2;
  problem.learning_rate = 0.5;
  validate(problem);
  return std::make_shared<const Case>(std::move(problem));
}

struct Stepped {
  double gradient;
  double loss;
  double parameter;
  friend bool operator==(const Stepped&, const Stepped&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Stepped& s) {
    return out << "gradient " << s.gradient << " loss " << s.loss << " w " << s.parameter;
  }
};

Stepped step(std::string_view subject, const SharedCase& problem, std::size_t rank = 0,
             std::size_t at = 0) {
  const RankResult result = results_of(subject, problem)[at][rank];
  return {result.gradient.values()[0], *result.loss, result.parameters.value().values()[0]};
}

constexpr Stepped kRight{.gradient = 4, .loss = 7, .parameter = -1};

TEST(Sgd, StepsOnceByTheMeanOverAllValidRows) {
  for (const char* name : {"sgd", "sgd:tree", "sgd:ring", "sgd:halving-doubling",
                           "sgd:hierarchical", "sgd:ring:sum-over-count:f64"}) {
    EXPECT_EQ(step(name, two_ranks(), 0), kRight) << name;
    EXPECT_EQ(step(name, two_ranks(), 1), kRight) << name;
    EXPECT_EQ(ranks_of(name, two_ranks())[1].count, 4.0) << name;
    EXPECT_EQ(ranks_of(name, two_ranks())[1].norm, 4.0) << name;
  }
}

TEST(Sgd, GoesOnFromTheParametersOfTheStepBefore) {
  // At w = -1 the residuals are -1 and 3: gradient (-6 + 6) / 4, loss (3 + 9) / 4.
  const Stepped second{.gradient = 0, .loss = 3, .parameter = -1};
  EXPECT_EQ(step("sgd", two_ranks({}, 2), 1, 1), second);
}

TEST(Sgd, NeverReadsPadding) {
  EXPECT_EQ(step("sgd", two_ranks({std::numeric_limits<double>::quiet_NaN()})), kRight);
}

TEST(Sgd, AddsUpMicroBatches) {
  Case problem = *two_ranks();
  problem.steps[0].shards[0].micro_batches = {rows({0, 0, 0}), rows({-4})};
  problem.steps[0].shards[1].micro_batches = {rows({}, {1}), rows({-4, -4, 0, 0})};
  // Eight rows: 2, 2, 2, 10 and 10, 10, 2, 2.
  const auto shared = std::make_shared<const Case>(problem);
  EXPECT_EQ(step("sgd", shared), (Stepped{.gradient = 5, .loss = 10, .parameter = -1.5}));
}

TEST(UpdateBeforeReduce, MovesEachRankByItsOwnGradient) {
  EXPECT_EQ(step("update-before-reduce", two_ranks(), 0), (Stepped{4, 7, 0}));   // 1 - 2/2
  EXPECT_EQ(step("update-before-reduce", two_ranks(), 1), (Stepped{4, 7, -4}));  // 1 - 10/2
}

TEST(LossAfterUpdate, IsTheLossOfTheNewParameters) {
  EXPECT_EQ(step("loss-after-update", two_ranks()), (Stepped{4, 3, -1}));
}

TEST(UpdateTwice, MovesTwice) { EXPECT_EQ(step("update-twice", two_ranks()), (Stepped{4, 7, -3})); }

TEST(SumUpdate, MovesByTheSumAndReportsTheMean) {
  EXPECT_EQ(step("sum-update", two_ranks()), (Stepped{4, 7, -3}));  // 1 - (2 * 4)/2
}

TEST(LeafNotUpdated, KeepsTheLastLeaf) {
  Case problem = *two_ranks();
  problem.model = {.features = 1, .layers = {{.outputs = 1}}, .parameters = {1, 0}};
  const auto shared = std::make_shared<const Case>(problem);
  const auto parameters = [&](std::string_view subject) {
    const RankResult result = ranks_of(subject, shared)[1];
    EXPECT_EQ(gradient_of(result), (std::vector<double>{4, 4}));
    return std::pair{result.parameters->values()[0], result.parameters->values()[1]};
  };
  EXPECT_EQ(parameters("sgd"), std::pair(-1.0, -2.0));
  EXPECT_EQ(parameters("leaf-not-updated"), std::pair(-1.0, 0.0));
}

TEST(UnmaskedNumerator, AddsPaddedRowsButDoesNotCountThem) {
  // A padded row of residual 3: gradient (16 + 6) / 4, loss (28 + 9) / 4.
  EXPECT_EQ(step("unmasked-numerator", two_ranks({-2})), (Stepped{5.5, 9.25, -1.75}));
  EXPECT_EQ(step("sgd", two_ranks({-2})), kRight);
}

TEST(LocalDenominator, AveragesTheRanksMeans) {
  EXPECT_EQ(step("local-denominator", two_ranks()), (Stepped{6, 13, -2}));  // (2 + 10)/2
}

TEST(MaskByMultiplication, IsRightForFiniteGarbageOnly) {
  EXPECT_EQ(step("mask-by-multiplication", two_ranks({-2})), kRight);
  EXPECT_EQ(make_builtin("mask-by-multiplication")->claim().padding, PaddingContent::any);
  for (double garbage : {std::numeric_limits<double>::quiet_NaN(),
                         std::numeric_limits<double>::infinity(), 0x1p126}) {
    const Stepped wrong = step("mask-by-multiplication", two_ranks({garbage}));
    EXPECT_TRUE(std::isnan(wrong.loss)) << garbage;  // 2^126 squared overflows, and inf * 0 is NaN
  }
}

}  // namespace
}  // namespace shardproof
