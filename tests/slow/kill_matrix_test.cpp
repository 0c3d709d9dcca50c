// Every numeric mutant is refuted by default effort, whatever the seed.

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "shardproof/properties/mutate.h"

namespace shardproof {
namespace {

constexpr std::uint64_t kSeeds = 20;

TEST(KillMatrixOfTwentySeeds, LeavesNoNumericMutant) {
  const std::vector<Mutant> mutants = all_mutants();
  int most = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const KillSummary counts =
        summary(mutate(mutants, {.seed = seed, .matrix_cases = 0, .shrink_budget = 0}));
    EXPECT_EQ(counts.numeric_survivors, std::vector<std::string>{}) << "seed " << seed;
    EXPECT_LE(counts.median_executions_to_find, 10) << "seed " << seed;
    most = std::max(most, counts.most_executions_to_find);
  }
  std::cout << "at most " << most << " executions to find\n";
}

/// The figures of docs/faults.md: `shardproof mutate --seed 0` prints them.
TEST(KillMatrixOfOneSeed, NamesTheRightCause) {
  const KillSummary counts = summary(mutate(all_mutants(), {.matrix_cases = 0}));
  EXPECT_GT(counts.reported, 90);
  EXPECT_GE(counts.named, 0.95 * counts.reported);
  EXPECT_GE(counts.named_alone, 0.85 * counts.reported);
  std::cout << counts.named << " of " << counts.reported << " named, " << counts.named_alone
            << " named alone\n";
}

}  // namespace
}  // namespace shardproof
