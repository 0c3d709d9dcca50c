// Every right subject is consistent and every wrong one refuted, in both dtypes, over 100 seeds.

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "shardproof/properties/registry.h"
#include "shardproof/properties/suite.h"
#include "shardproof/subject/builtin.h"
#include "shardproof/subject/strategy.h"

namespace shardproof {
namespace {

constexpr int kSeeds = 100;
constexpr int kDiscriminating = 20;  // about as many cases come first in every run

std::vector<std::string> builtin_names(bool right) {
  std::vector<std::string> names;
  for (const BuiltinSubject& subject : builtin_subjects()) {
    if (subject.right == right) names.push_back(subject.name);
  }
  return names;
}

std::vector<std::string> strategy_names() {
  std::vector<std::string> names;
  for (Topology topology : named_topologies()) {
    for (Scaling scaling : named_scalings()) {
      for (std::optional<Dtype> accumulate :
           {std::optional<Dtype>{}, std::optional{Dtype::f32}, std::optional{Dtype::f64}}) {
        Strategy strategy;
        strategy.topology = topology;
        strategy.scaling = scaling;
        strategy.accumulate = accumulate;
        names.push_back(name(strategy));
      }
    }
  }
  return names;
}

/// \param first  which case a seed begins with; further ones are random
RunResult run_seed(Subject& subject, Dtype dtype, std::uint64_t seed, int cases, bool shift) {
  RunOptions options;
  options.cases = cases;
  options.shrink_budget = 0;
  options.draw = [&, seed](int index) {
    const int shifted = index == 0 ? static_cast<int>(seed % kDiscriminating)
                                   : kDiscriminating + static_cast<int>(seed) * 50 + index;
    return draw_case(seed, shift ? shifted : index, subject.claim(), subject.kind(),
                     {.dtypes = {dtype}});
  };
  return run(subject, all_properties(), options);
}

void expect_consistent(const std::string& subject_name, int cases, bool shift) {
  const auto subject = make_builtin(subject_name);
  for (Dtype dtype : all_dtypes()) {
    int passed = 0;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      const RunResult result = run_seed(*subject, dtype, seed, cases, shift);
      ASSERT_FALSE(result.finding)
          << subject_name << ", " << name(dtype) << ", seed " << seed << ", case "
          << result.finding->case_index << ": " << result.finding->property << ": "
          << result.finding->found.failure.sentence;
      for (const Tally& tally : result.tallies) passed += tally.passed;
    }
    EXPECT_GT(passed, kSeeds) << subject_name << ", " << name(dtype);
  }
}

class EveryRightSubject : public testing::TestWithParam<std::string> {};
TEST_P(EveryRightSubject, IsConsistent) { expect_consistent(GetParam(), 8, false); }
INSTANTIATE_TEST_SUITE_P(, EveryRightSubject, testing::ValuesIn(builtin_names(true)));

class EveryStrategy : public testing::TestWithParam<std::string> {};
TEST_P(EveryStrategy, IsConsistent) { expect_consistent(GetParam(), 2, true); }
INSTANTIATE_TEST_SUITE_P(, EveryStrategy, testing::ValuesIn(strategy_names()));

class EveryWrongSubject : public testing::TestWithParam<std::string> {};
TEST_P(EveryWrongSubject, IsRefuted) {
  const auto subject = make_builtin(GetParam());
  int most = 0;
  for (Dtype dtype : all_dtypes()) {
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      const RunResult result = run_seed(*subject, dtype, seed, 1000, false);
      ASSERT_TRUE(result.finding) << GetParam() << ", " << name(dtype) << ", seed " << seed;
      most = std::max(most, result.finding->executions_to_find);
    }
  }
  std::cout << GetParam() << ": at most " << most << " executions to find\n";
}
INSTANTIATE_TEST_SUITE_P(, EveryWrongSubject, testing::ValuesIn(builtin_names(false)));

}  // namespace
}  // namespace shardproof
