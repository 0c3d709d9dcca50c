// Dtypes by role: what a claim says is borne, and what it does not say is refuted.

#include <gtest/gtest.h>

#include <cmath>

#include "shardproof/properties/registry.h"
#include "shardproof/properties/suite.h"
#include "shardproof/subject/builtin.h"
#include "shardproof/subject/per_rank.h"
#include "shardproof/subject/sgd.h"

namespace shardproof {
namespace {

/// The failure's sentence; empty where nothing is refuted.
std::string refutation(std::unique_ptr<Subject> subject, std::vector<Dtype> dtypes) {
  CheckOptions options{.seed = 3, .draw = {.dtypes = std::move(dtypes)}};
  options.run.cases = 150;
  options.run.shrink_budget = 0;
  const RunResult result = check(*subject, std::move(options));
  return result.finding ? result.finding->property + ": " + result.finding->found.failure.sentence
                        : "";
}

std::string refutation(const char* name, const char* settings, std::vector<Dtype> dtypes) {
  std::unique_ptr<Subject> subject = make_builtin(name);
  Claim claim = with_settings(subject->claim(), settings);
  return refutation(with_claim(std::move(subject), std::move(claim)), std::move(dtypes));
}

TEST(DtypeRoles, AWireOfSixteenBitsIsBorneWhereItIsClaimedAndRefutedWhereNot) {
  const char* const subject = "tree:weight-by-count:wire=f16";
  EXPECT_EQ(refutation(subject, "", {Dtype::f32}), "");
  EXPECT_NE(refutation(subject, "wire=none", {Dtype::f32}), "");
}

TEST(DtypeRoles, ANarrowAccumulatorIsBorneWhereItIsClaimedAndRefutedWhereNot) {
  EXPECT_EQ(refutation("ring", "", {Dtype::bf16, Dtype::f16}), "");
  EXPECT_NE(refutation("ring", "accumulate=f32,roundings=3", {Dtype::bf16}), "");
  EXPECT_NE(refutation("ring", "accumulate=f32,roundings=3", {Dtype::f16}), "");
}

TEST(DtypeRoles, GradientsWiderThanParametersAreJudgedInTheirOwnDtype) {
  const char* const subject = "sequential:weight-by-count:gradient=f32";
  EXPECT_EQ(refutation(subject, "", {Dtype::bf16, Dtype::f16}), "");
  EXPECT_EQ(refutation("sgd:sequential:weight-by-count:gradient=f32", "", {Dtype::bf16}), "");
  // Sums in bf16 are far outside what f32 gradients allow.
  EXPECT_NE(
      refutation("sequential:weight-by-count:bf16:gradient=f32", "accumulate=f32", {Dtype::bf16}),
      "");
}

/// Passes on what a right strategy makes, its count rounded to bf16.
class RoundedCount final : public Reducer {
 public:
  explicit RoundedCount(std::unique_ptr<Reducer> right) : right_(std::move(right)) {}
  std::optional<Reduced> contribute(Communicator& ranks, Contribution& contribution) override {
    std::optional<Reduced> reduced = right_->contribute(ranks, contribution);
    if (reduced) reduced->count = round_to(Dtype::bf16, *reduced->count);
    return reduced;
  }

 private:
  std::unique_ptr<Reducer> right_;
};

TEST(DtypeRoles, ACountBeyondItsDtypeIsRightOnlyWhereThatDtypeIsClaimed) {
  Case problem;
  problem.model = {.features = 1, .layers = {{1, false}}, .parameters = {0}};
  MicroBatch rows;
  rows.x.assign(257, 1);
  rows.y.assign(257, 1);
  rows.mask.assign(257, 1);
  problem.steps = {Step{{Shard{{rows}}}}};
  const auto verdict = [&](std::optional<Dtype> count) {
    Claim claim = claim_of({});
    claim.count = count;
    const auto subject = per_rank("rounded count", claim, [](const ReducerSetup& setup) {
      return std::make_unique<RoundedCount>(reducers_of({})(setup));
    });
    int executions = 0;
    return check_case(*subject, matching_properties("count_and_norm_are_true").front(),
                      std::make_shared<const Case>(problem), {}, executions);
  };
  EXPECT_TRUE(std::holds_alternative<Consistent>(verdict(Dtype::bf16)));
  EXPECT_TRUE(std::holds_alternative<Failure>(verdict(std::nullopt)));
  EXPECT_TRUE(std::holds_alternative<Failure>(verdict(Dtype::f16)));  // holds 257
}

/// SGD that keeps its weights in f32 and returns them rounded to the case's dtype.
class MasterStep final : public TrainStep {
 public:
  MasterStep(const TrainSetup& setup, double factor)
      : dtype_(setup.dtype), factor_(factor), sgd_(sgd_of({})(setup)) {}

  TrainResult step(Communicator& ranks, TrainInput& input) override {
    const std::span<const double> now = std::as_const(input.parameters).values();
    if (input.step == 0) master_.assign(now.begin(), now.end());
    TrainResult result = sgd_->step(ranks, input);
    for (std::size_t e = 0; e < master_.size(); ++e) {
      const double way = factor_ * input.learning_rate * result.gradient.values()[e];
      master_[e] = round_to(Dtype::f32, master_[e] - round_to(Dtype::f32, way));
      result.parameters.values()[e] = round_to(dtype_, master_[e]);
    }
    return result;
  }

 private:
  Dtype dtype_;
  double factor_;
  std::unique_ptr<TrainStep> sgd_;
  std::vector<double> master_;
};

TEST(DtypeRoles, MasterWeightsAreJudgedByTheirFirstUpdate) {
  const auto found = [](double factor, std::optional<Dtype> master) {
    Claim claim = sgd_claim({});
    claim.update = Update::any;
    claim.master = master;
    return refutation(per_rank("master", claim,
                               [factor](const TrainSetup& setup) {
                                 return std::make_unique<MasterStep>(setup, factor);
                               }),
                      {Dtype::bf16});
  };
  EXPECT_EQ(found(1, Dtype::f32), "");
  EXPECT_NE(found(2, Dtype::f32), "");  // twice the step is seen in the first one
}

}  // namespace
}  // namespace shardproof
