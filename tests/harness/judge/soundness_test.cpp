// A right reducer is never refuted, whatever its order, placement and rounding; a quick look at
// what tests/slow does at length.

#include "harness/judge/soundness.h"

#include <gtest/gtest.h>

namespace shardproof {
namespace {

TEST(Soundness, RightReducersAreNeverRefutedAndTheNextValueOutwardAlways) {
  const Soundness soundness = soundness_alone(1, 1500);
  EXPECT_EQ(soundness.refuted, 0) << soundness.first;
  EXPECT_EQ(soundness.outward_accepted, 0);
  EXPECT_GT(soundness.judged, 10000);
  EXPECT_GT(soundness.undecided, 0);  // some contributions are near overflow
  EXPECT_GT(soundness.tightest, 0.5);
  RecordProperty("tightest", std::to_string(soundness.tightest));
}

}  // namespace
}  // namespace shardproof
