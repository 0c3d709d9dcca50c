#include "shardproof/properties/soak.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

namespace shardproof {
namespace {

SoakOptions small(std::uint64_t seed) {
  SoakOptions options;
  options.judgements = 120'000;
  options.seed = seed;
  return options;
}

TEST(Soak, RefutesNoRightReduction) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const SoakResult result = soak(small(seed));
    ASSERT_FALSE(result.refutation) << to_json(*result.refutation, seed);
    EXPECT_GE(result.judgements, 120'000);
    EXPECT_GT(result.on_threads, 0);
    EXPECT_LT(result.exactly, result.judgements / 4);
  }
}

TEST(Soak, CoversEveryDtypeAndKindOfClaim) {
  SoakOptions options = small(4);
  options.judgements = 800'000;
  const SoakResult result = soak(options);
  std::set<std::string> dtypes;
  std::set<std::string> scalings;
  std::set<std::string> summations;
  double tightest = 0;
  for (const SoakTally& tally : result.tallies) {
    dtypes.insert(tally.sums);
    scalings.insert(tally.scaling);
    summations.insert(tally.summation);
    tightest = std::max(tightest, tally.tightest);
    EXPECT_LE(tally.tightest, 1 + 1e-12) << tally.dtypes << ' ' << tally.scaling;
  }
  EXPECT_EQ(dtypes.size(), all_dtypes().size() * all_dtypes().size());
  EXPECT_EQ(scalings.size(), all_leaf_scalings().size());
  EXPECT_EQ(summations.size(), 4);
  EXPECT_GT(tightest, 0.99);  // right reductions do reach what is allowed
}

TEST(Soak, IsTheSameForAnyNumberOfThreads) {
  SoakOptions options = small(5);
  const SoakResult one = soak(options);
  options.jobs = 3;
  const SoakResult three = soak(options);
  EXPECT_EQ(one.judgements, three.judgements);
  EXPECT_EQ(one.exactly, three.exactly);
  ASSERT_EQ(one.tallies.size(), three.tallies.size());
  for (std::size_t i = 0; i < one.tallies.size(); ++i) {
    EXPECT_EQ(one.tallies[i].judgements, three.tallies[i].judgements);
    EXPECT_EQ(one.tallies[i].tightest, three.tallies[i].tightest);
  }
}

TEST(Soak, StopsWhenAsked) {
  SoakOptions options = small(6);
  options.stop = [] { return true; };
  const SoakResult result = soak(options);
  EXPECT_TRUE(result.stopped);
  EXPECT_EQ(result.judgements, 0);
}

/// Right, but for one element of a thousand that lies a few parts in a million off.
SoakReduction nearly_right(Source& source, const DrawnLeaf& leaf) {
  SoakReduction reduction = draw_soak_reduction(source, leaf);
  reduction.what = "off by 1 in 10^4";
  reduction.reduce = [right = reduction.reduce](const DrawnLeaf& l) {
    std::vector<double> returned = right(l);
    returned[100] = round_to(l.dtype, returned[100] * 1.0001);
    return returned;
  };
  return reduction;
}

TEST(Soak, CatchesAWrongReductionAndRecordsIt) {
  SoakOptions options = small(7);
  options.draw = nearly_right;
  const SoakResult result = soak(options);
  ASSERT_TRUE(result.refutation);
  EXPECT_EQ(result.refutation->what, "off by 1 in 10^4");

  const nlohmann::json record = nlohmann::json::parse(to_json(*result.refutation, options.seed));
  EXPECT_EQ(record["format"], "shardproof.soak");
  EXPECT_EQ(record["seed"], 7);
  EXPECT_EQ(record["terms"].size(), record["counts"].size());
  EXPECT_EQ(record["terms"][0].size(), record["counts"][0].size());
  EXPECT_TRUE(record["returned"].is_number());
  const std::string sentence = record["failure"];
  EXPECT_NE(sentence.find("leaf[100]"), std::string::npos) << sentence;
  EXPECT_EQ(with_settings({}, std::string(record["claim"])), result.refutation->claim);
}

}  // namespace
}  // namespace shardproof
