#include "shardproof/case/claim_presets.h"

#include <gtest/gtest.h>

#include <string>

#include "harness/case/settings_message.h"
#include "shardproof/case/claim.h"
#include "shardproof/case/error.h"

namespace shardproof {
namespace {

TEST(ClaimPresets, EachIsAConsistentClaimOfItsOwn) {
  for (const ClaimPreset& preset : claim_presets()) {
    const Claim claim = with_settings({}, "preset=" + std::string(preset.name));
    EXPECT_EQ(claim, with_settings({}, preset.settings)) << preset.name;
    EXPECT_NE(claim, Claim{}) << preset.name;
    EXPECT_FALSE(preset.source.empty()) << preset.name;
  }
}

TEST(ClaimPresets, SetWhatTheirLibrariesDo) {
  const Claim nccl = with_settings({}, "preset=nccl-avg");
  EXPECT_EQ(nccl.conditions, ConditionSet{Condition::equal});
  EXPECT_EQ(nccl.summation, Summation::tree);
  EXPECT_EQ(with_settings({}, "preset=ddp").target, Target::mean_over_ranks);
  EXPECT_EQ(with_settings({}, "preset=fsdp2").levels, 2);
  EXPECT_EQ(with_settings({}, "preset=jax-cpu").flush, Flush::either);
}

TEST(ClaimPresets, GiveWayToTheKeysAfterThem) {
  const Claim claim = with_settings({}, "preset=nccl-avg,conditions=equal+padded,roundings=2");
  EXPECT_TRUE(claim.conditions.contains(Condition::padded));
  EXPECT_EQ(claim.roundings, 2);
  EXPECT_EQ(claim.summation, Summation::tree);
}

TEST(ClaimPresets, KeepTheFieldsThatTheyDoNotName) {
  const Claim subject{.min_world = 2, .max_world = 8, .order_fixed = true};
  const Claim claim = with_settings(subject, "preset=ddp");
  EXPECT_EQ(claim.min_world, 2);
  EXPECT_TRUE(claim.order_fixed);
}

TEST(ClaimPresets, AreRefusedWithWhatIsAllowed) {
  EXPECT_EQ(message_of("preset=mpi"),
            "claim: preset: `mpi` is unknown; known: nccl-avg, gloo, ddp, fsdp2, jax-cpu");
  EXPECT_EQ(message_of("levels=2,preset=gloo"), "claim: preset: has to come first");
  EXPECT_EQ(message_of("preset=gloo,"), "claim: ends in a comma");
  EXPECT_EQ(message_of("preset=gloo,preset=ddp"), "claim: preset: has to come first");
}

}  // namespace
}  // namespace shardproof
