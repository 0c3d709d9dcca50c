// Every numeric fault ends in one canonical case, whatever the seed, within 200 executions.

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "shardproof/properties/mutate.h"
#include "shardproof/properties/suite.h"
#include "shardproof/run/report.h"
#include "shardproof/subject/builtin.h"

namespace shardproof {
namespace {

constexpr std::uint64_t kSeeds = 20;
constexpr int kMostToShrink = 200;  // executions

std::vector<std::string> numeric_subjects() {
  std::vector<std::string> names;
  for (const Mutant& mutant : all_mutants()) {
    if (mutant.numeric) names.push_back(mutant.subject);
  }
  return names;
}

class Canonical : public testing::TestWithParam<std::string> {};

TEST_P(Canonical, CaseIsOneForTwentySeeds) {
  std::map<std::string, int> forms;
  int most = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const std::unique_ptr<Subject> subject = make_builtin(GetParam());
    // One dtype: an order-sensitive case has another number of bits in each.
    CheckOptions options{.seed = seed, .draw = {.dtypes = {Dtype::f32}}};
    const RunResult result = check(*subject, std::move(options));
    ASSERT_TRUE(result.finding) << "seed " << seed;
    EXPECT_TRUE(result.finding->fully_shrunk) << "seed " << seed;
    most = std::max(most, result.finding->executions_to_shrink);
    ++forms[result.finding->property + ": " +
            describe(*result.finding->minimal.problem, SubjectKind::train_step)];
  }
  std::string listed;
  for (const auto& [form, count] : forms) listed += std::to_string(count) + " times " + form;
  EXPECT_EQ(forms.size(), 1) << listed;
  EXPECT_LE(most, kMostToShrink);
  std::cout << GetParam() << ": at most " << most << " executions to shrink\n";
}

INSTANTIATE_TEST_SUITE_P(, Canonical, testing::ValuesIn(numeric_subjects()));

}  // namespace
}  // namespace shardproof
