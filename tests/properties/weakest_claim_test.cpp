#include "shardproof/properties/weakest_claim.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "shardproof/subject/all_at_once.h"
#include "shardproof/subject/builtin.h"

namespace shardproof {
namespace {

WeakestClaims found_for(std::string_view builtin) {
  WeakestClaimOptions options{.cases = 60, .seed = 1};
  options.draw.max_world = 4;
  return weakest_claims(make_builtin(builtin), options);
}

std::vector<std::string> settings_of(const WeakestClaim& found) {
  std::vector<std::string> settings;
  for (const Weakening& weakening : found.weakenings) settings.push_back(weakening.setting);
  return settings;
}

bool contains(const WeakestClaim& found, const std::string& setting) {
  const std::vector<std::string> all = settings_of(found);
  return std::ranges::find(all, setting) != all.end();
}

using Settings = std::vector<std::string>;

TEST(WeakestClaim, OfARightReducerLeavesNothingOutButItsRoundings) {
  const WeakestClaims found = found_for("ring");
  ASSERT_EQ(found.claims.size(), 1);
  EXPECT_EQ(settings_of(found.claims[0]), Settings{"roundings=1"});
}

TEST(WeakestClaim, OfAMeanOfMeansIsEqualShardsOrTheMeanOverRanks) {
  const WeakestClaims found = found_for("mean-of-means");
  ASSERT_EQ(found.claims.size(), 2);
  for (const WeakestClaim& each : found.claims) {
    const std::string needed =
        each.claim.target == Target::weighted_mean ? "conditions=equal" : "target=mean-over-ranks";
    EXPECT_TRUE(contains(each, needed)) << settings(each.claim);
  }
}

TEST(WeakestClaim, SaysWhatRefutesTheStrongerClaim) {
  const WeakestClaims found = found_for("own-rank-first");
  ASSERT_FALSE(found.claims.empty());
  const auto& all = found.claims[0].weakenings;
  const auto bits = std::ranges::find(all, "equal-bits=no", &Weakening::setting);
  ASSERT_NE(bits, all.end());
  EXPECT_EQ(bits->words, "other bits on other ranks");
  EXPECT_EQ(bits->refutation.rfind("ranks_agree: ", 0), 0) << bits->refutation;
}

TEST(WeakestClaim, OfASubjectThatFitsNoneIsARefutation) {
  auto twice = all_at_once("twice", {}, [](std::span<std::vector<Contribution>> all, Dtype dtype) {
    Reduced reduced{.gradient = all[0][0].gradient, .loss = {}, .count = {}, .norm = {}};
    for (double& g : reduced.gradient.values()) g = round_to(dtype, 2 * g + 1);
    return reduced;
  });
  const WeakestClaims found = weakest_claims(std::move(twice), {.cases = 50, .seed = 1});
  EXPECT_TRUE(found.claims.empty());
  EXPECT_NE(found.refutation.find("matches_reference: "), std::string::npos) << found.refutation;
}

TEST(WeakestClaim, IsConsistentByItself) {
  for (const char* name : {"psum", "kahan"}) {
    const WeakestClaims found = found_for(name);
    ASSERT_FALSE(found.claims.empty()) << name;
    const auto subject = with_claim(make_builtin(name), found.claims[0].claim);
    const RunResult again =
        check(*subject, {.seed = 1, .draw = {.max_world = 4}, .run = {.cases = 60}});
    EXPECT_FALSE(again.finding) << name;
  }
}

}  // namespace
}  // namespace shardproof
