#include "shardproof/properties/mutate.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace shardproof {
namespace {

/// A tenth of the mutants, and the few that only one law refutes.
std::vector<Mutant> some_mutants() {
  constexpr std::size_t kEvery = 10;
  const std::vector<std::string> lawbreakers{
      "psum",         "unequal-bits",     "changing-order", "input-overwritten",
      "long-padding", "nan-from-nothing", "summed-loss",    "ranks-as-count",
      "update-twice"};
  const std::vector<Mutant> all = all_mutants();
  std::vector<Mutant> some;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool breaks_one_law = std::ranges::find(lawbreakers, all[i].subject) != lawbreakers.end();
    if (i % kEvery == 0 || breaks_one_law) some.push_back(all[i]);
  }
  return some;
}

const KillMatrix& matrix() {
  static const KillMatrix known =
      mutate(some_mutants(), {.seed = 3, .matrix_cases = 40, .shrink_budget = 0});
  return known;
}

TEST(Mutants, AreAllThatIsPlanted) {
  const std::vector<Mutant> all = all_mutants();
  const auto from = [&](std::string_view start) {
    return std::ranges::count_if(
        all, [&](const Mutant& mutant) { return mutant.subject.starts_with(start); });
  };
  EXPECT_EQ(from("fault:"), std::ranges::count_if(all, [](const Mutant& mutant) {
              return mutant.subject.find(':') != std::string::npos;
            }));
  EXPECT_GT(from("fault:"), 150);
  EXPECT_EQ(std::ranges::count(all, false, &Mutant::numeric), 4);
}

TEST(KillMatrix, HasAKillerForEveryNumericMutant) {
  const KillSummary counts = summary(matrix());
  EXPECT_EQ(counts.numeric_survivors, std::vector<std::string>{});
  EXPECT_LE(counts.median_executions_to_find, 10);
  EXPECT_EQ(counts.numeric_refuted, counts.numeric);
}

TEST(KillMatrix, NeedsEveryLaw) {
  for (const NeededLaw& law : needed_laws(matrix())) {
    EXPECT_FALSE(law.only_it_refutes.empty()) << law.law;
  }
}

TEST(KillMatrix, IsIncompleteWhereANumericMutantSurvivesOrALawIsNotNeeded) {
  KillMatrix changed = matrix();
  EXPECT_TRUE(complete(changed));
  changed.mutants.push_back({.mutant = {"ring", "a right one"}});
  EXPECT_FALSE(complete(changed));
  EXPECT_EQ(summary(changed).numeric_survivors, std::vector<std::string>{"ring"});
  EXPECT_NE(text_report(changed).find("SURVIVED: ring\n"), std::string::npos);
  changed.mutants.back().mutant.numeric = false;
  EXPECT_TRUE(complete(changed));
  std::erase_if(changed.mutants, [](const MutantResult& result) {
    return result.mutant.subject == "input-overwritten" || result.mutant.subject == "fault:I10";
  });
  EXPECT_FALSE(complete(changed));
  EXPECT_NE(brief_report(changed).find("NOT NEEDED: inputs_untouched\n"), std::string::npos);
}

TEST(KillMatrix, IsTheSameForASeed) {
  std::vector<Mutant> few = some_mutants();
  few.resize(4);
  const MutateOptions options{.seed = 5, .matrix_cases = 5, .shrink_budget = 50};
  EXPECT_EQ(json_report(mutate(few, options)), json_report(mutate(few, options)));
}

}  // namespace
}  // namespace shardproof
