#include "harness/subject/faults/fault_law.h"

#include <gtest/gtest.h>

namespace shardproof {
namespace {

TEST(FaultLaw, WhatIsFarFromTheReferenceIsRefutedAndWhatIsRightIsNot) {
  const FaultLaw law = law_of_faults(1, 1000);
  EXPECT_EQ(law.broken, "");
  EXPECT_GT(law.predicted, 10000);
  EXPECT_GT(law.due, 2000);
  EXPECT_GT(law.right, 2000);
}

}  // namespace
}  // namespace shardproof
