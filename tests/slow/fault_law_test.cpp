// The law of both sides at length: random faults, triggers, strategies and cases.

#include "harness/subject/faults/fault_law.h"

#include <gtest/gtest.h>

#include <iostream>

namespace shardproof {
namespace {

TEST(FaultLawAtLength, WhatIsFarFromTheReferenceIsRefutedAndWhatIsRightIsNot) {
  constexpr int kSeeds = 1000;
  constexpr int kDraws = 1000;
  FaultLaw all;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const FaultLaw law = law_of_faults(seed, kDraws);
    ASSERT_EQ(law.broken, "");
    all.draws += law.draws;
    all.predicted += law.predicted;
    all.due += law.due;
    all.right += law.right;
  }
  std::cout << all.draws << " draws, " << all.predicted << " values predicted, " << all.due
            << " due to be refuted and refuted, " << all.right << " right and not refuted\n";
  EXPECT_GT(all.due, 1000L * kSeeds);
}

}  // namespace
}  // namespace shardproof
