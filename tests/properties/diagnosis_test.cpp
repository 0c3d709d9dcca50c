// The mistake that a wrong subject makes is named, and no other; right values are never predicted.

#include <gtest/gtest.h>

#include <algorithm>

#include "examples/ring_all_reduce.h"
#include "shardproof/properties/registry.h"
#include "shardproof/properties/suite.h"
#include "shardproof/subject/builtin.h"
#include "shardproof/subject/fault_catalogue.h"
#include "shardproof/subject/per_rank.h"
#include "shardproof/subject/typed.h"

namespace shardproof {
namespace {

struct Named {
  std::string subject;
  std::string formula;
  friend std::ostream& operator<<(std::ostream& out, const Named& named) {
    return out << named.subject << " as " << named.formula;
  }
};

Finding finding_of(Subject& subject, Dtype dtype, std::uint64_t seed,
                   const char* property = "matches_reference") {
  CheckOptions options{.properties = matching_properties(property), .seed = seed};
  options.draw.dtypes = {dtype};
  options.run.cases = 50;
  RunResult result = check(subject, std::move(options));
  EXPECT_TRUE(result.finding) << subject.name();
  return result.finding.value_or(Finding{});
}

Finding finding_of(const std::string& name, Dtype dtype, std::uint64_t seed,
                   const char* property = "matches_reference") {
  return finding_of(*make_builtin(name), dtype, seed, property);
}

class Diagnosis : public testing::TestWithParam<Named> {};

TEST_P(Diagnosis, NamesTheMistakeAndNoOther) {
  for (Dtype dtype : all_dtypes()) {
    for (std::uint64_t seed : {1, 2, 3}) {
      const Finding finding = finding_of(GetParam().subject, dtype, seed);
      ASSERT_EQ(finding.diagnosis.causes.size(), 1U) << name(dtype) << ", seed " << seed;
      EXPECT_EQ(finding.diagnosis.causes.front().formula, GetParam().formula);
      EXPECT_GT(finding.diagnosis.causes.front().unseen, 0);
    }
  }
}

const std::vector<Named> kNamed{
    {"psum", "sum_r mean_r"},
    {"mean-of-means", "(1/P) sum_r mean_r"},
    {"padded-denominator", "sum_r n_r mean_r / rows"},
    {"bias-forgotten", "mean_r on rank r"},
    {"leaves-swapped", "G with the last two leaves of the last rank exchanged"},
    {"last-micro-batch", "last micro-batches / N"},
    {"rank-dropped", "sum without the last rank / N"},
    {"rank0-only", "mean_r on rank r"},
    {"stale-step", "G of the step before"},
    {"ring-no-tail", "mean_r on rank r"},
    {"local-denominator", "(1/P) sum_r mean_r"},
};

INSTANTIATE_TEST_SUITE_P(Builtin, Diagnosis, testing::ValuesIn(kNamed),
                         [](const testing::TestParamInfo<Named>& named) {
                           std::string name = named.param.subject;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(Diagnosis, NamesNothingForAMistakeThatIsNotKnown) {
  Weight weight = right_weight();
  weight.factor = 3;
  weight.divisor = 7;
  const auto subject = per_rank("three-sevenths", claim_of(Planted{}),
                                apply({Weigh{.term = weight}, {}}, reducers_of(Strategy{})));
  EXPECT_TRUE(finding_of(*subject, Dtype::f32, 1).diagnosis.causes.empty());
}

struct Confined {
  std::string subject;
  std::string where;
};

TEST(Diagnosis, SaysWhereAMistakeIsWhileTheRestIsRight) {
  const std::vector<Confined> all{
      {"bias-forgotten", "only biases, kernels are right"},
      {"rank0-only",
       "only the gradient, the loss is right; on every rank but rank 0, which is right"},
      {"ring-no-tail", "only elements past P chunks of floor(elements / P) of the gradient"},
      {"rank-dropped", "only in worlds that are no power of two"},
      {"psum", ""},
  };
  for (const Confined& confined : all) {
    const Finding finding = finding_of(confined.subject, Dtype::f64, 1);
    ASSERT_FALSE(finding.diagnosis.causes.empty()) << confined.subject;
    EXPECT_EQ(finding.diagnosis.causes.front().where, confined.where) << confined.subject;
  }
}

struct OfAnotherKind {
  std::string subject;
  std::string property;
  std::string formula;
};

TEST(Diagnosis, NamesWrongUpdatesCountsAndLosses) {
  const std::vector<OfAnotherKind> all{
      {"update-twice", "one_update_per_leaf", "w - lr (2 G)"},
      {"leaf-not-updated", "one_update_per_leaf", "w - lr (0)"},
      {"sum-update", "one_update_per_leaf", "w - lr (P G)"},
      {"update-before-reduce", "ranks_agree", "w - lr (mean_r on rank r)"},
      {"local-count", "count_and_norm_are_true", "n_r"},
      {"ranks-as-count", "count_and_norm_are_true", "P"},
      {"summed-loss", "loss_is_pre_update", "P G"},
  };
  for (const OfAnotherKind& one : all) {
    const Finding finding = finding_of(one.subject, Dtype::f32, 2, one.property.c_str());
    ASSERT_EQ(finding.diagnosis.causes.size(), 1U) << one.subject;
    EXPECT_EQ(finding.diagnosis.causes.front().formula, one.formula);
    EXPECT_GT(finding.diagnosis.causes.front().unseen, 0) << one.subject;
  }
}

TEST(Diagnosis, CallsBitsThatDifferInsideTheBoundNoFaultOfTheValues) {
  for (const char* const property : {"ranks_agree", "repeatable"}) {
    const bool of_ranks = std::string(property) == "ranks_agree";
    const Finding finding =
        finding_of(of_ranks ? "unequal-bits" : "changing-order", Dtype::f32, 3, property);
    EXPECT_TRUE(finding.diagnosis.causes.empty());
    ASSERT_EQ(finding.diagnosis.observed.size(), 1U);
    EXPECT_NE(finding.diagnosis.observed.front().find("differs by summation order only"),
              std::string::npos);
  }
}

// An unknown weight on one rank: no known fault fits, the weights do.
TEST(Diagnosis, MeasuresTheWeightsOfRanksWhereNoKnownFaultFits) {
  const auto reduce = [](Communicator& ranks, std::span<float> gradient, ValidCount mine) {
    const float weight = ranks.rank().index == 0 ? 7.0F / 3 : 1;
    for (float& value : gradient) value *= weight * static_cast<float>(mine.value);
    auto count = static_cast<float>(mine.value);
    ring_all_reduce(ranks, gradient);
    ring_all_reduce(ranks, {&count, 1});
    for (float& value : gradient) value /= count;
  };
  const auto subject = per_rank<float>("seven thirds", {}, reduce);
  const RunResult result =
      check(*subject, {.properties = matching_properties("matches_reference"), .seed = 1});
  ASSERT_TRUE(result.finding);
  const std::vector<std::string>& observed = result.finding->diagnosis.observed;
  ASSERT_FALSE(observed.empty());
  EXPECT_NE(observed.front().find("the mean of rank 0 enters with weight 7/3"), std::string::npos);
  EXPECT_EQ(observed.back(), "residual: none, these weights explain this case");
}

TEST(Diagnosis, SaysHowTheRowsOfRanksAreWeighted) {
  // Counts 1 and 3 on two ranks with equal weight: 1/2 against 1/6 a row.
  const std::unique_ptr<Subject> subject = make_builtin("mean-of-means");
  Case problem;
  problem.model = {.features = 1, .layers = {{1, false}}, .parameters = {0}};
  const MicroBatch one{.x = {1}, .y = {1}, .mask = {1}, .absent = {}};
  const MicroBatch three{.x = {1, 1, 1}, .y = {0, 0, 0}, .mask = {1, 1, 1}, .absent = {}};
  problem.steps = {Step{{Shard{{one}}, Shard{{three}}}}};
  problem.mesh.axes.front().size = 2;
  const CauseQuestion question{.of_finding = {std::make_shared<const Case>(problem)}};
  const std::vector<Cause> causes = find_causes(*subject, question, Limits{}).causes;
  const auto found = std::ranges::find(causes, std::string("(1/P) sum_r mean_r"), &Cause::formula);
  ASSERT_NE(found, causes.end());
  EXPECT_EQ(found->effect, "a row of rank 0 weighs 3 times a row of rank 1");
  EXPECT_EQ(found->values, 4);  // a gradient of one element and a loss, on both ranks
  EXPECT_EQ(found->cases, 1);
  EXPECT_EQ(found->unseen, 0);
}

}  // namespace
}  // namespace shardproof
