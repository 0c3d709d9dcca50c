#include "shardproof/subject/strategy.h"

#include <gtest/gtest.h>

#include "shardproof/case/error.h"

namespace shardproof {
namespace {

Claim claim(std::string_view text) { return claim_of(parse_strategy(text)); }

std::string refusal(std::string_view text) {
  try {
    parse_strategy(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Strategy, NameIsReadBack) {
  int names = 0;
  for (Topology topology : named_topologies()) {
    for (Scaling scaling : named_scalings()) {
      for (std::optional<Dtype> accumulate :
           {std::optional<Dtype>{}, std::optional(Dtype::f32), std::optional(Dtype::f64)}) {
        Strategy strategy;
        strategy.topology = topology;
        strategy.scaling = scaling;
        strategy.accumulate = accumulate;
        EXPECT_EQ(parse_strategy(name(strategy)), strategy) << name(strategy);
        ++names;
      }
    }
  }
  EXPECT_EQ(names, 6 * 4 * 3);
}

TEST(Strategy, DefaultsAreWeightByCountInTheDtypeOfTheCase) {
  EXPECT_EQ(parse_strategy("ring"), parse_strategy("ring:weight-by-count:case"));
  EXPECT_EQ(name(parse_strategy("ring:weight-by-count:case")), "ring");
}

TEST(Strategy, ErrorNamesTheUnknownPartAndWhatIsKnown) {
  EXPECT_EQ(refusal("star"),
            "subject star: unknown topology 'star'; known: sequential, tree, ring, "
            "halving-doubling, hierarchical, own-rank-first");
  EXPECT_EQ(refusal("ring:twice"),
            "subject ring:twice: unknown scaling 'twice'; known: divide-after, divide-before, "
            "weight-by-count, sum-over-count");
  EXPECT_EQ(
      refusal("ring:divide-after:f31"),
      "subject ring:divide-after:f31: unknown accumulate dtype 'f31'; known: case, f64, f32, bf16, "
      "f16");
  EXPECT_EQ(refusal("ring:divide-after:f32:x"),
            "subject ring:divide-after:f32:x: unknown part 'x'; "
            "TOPOLOGY[:SCALING[:ACCUMULATE]][:wire=DTYPE][:gradient=DTYPE]");
  EXPECT_EQ(refusal("ring:divide-after:wire=f8"),
            "subject ring:divide-after:wire=f8: unknown dtype 'f8'; known: f64, f32, bf16, f16");
  EXPECT_EQ(refusal("ring:"), refusal("ring:").substr(0, 13) +
                                  ": unknown scaling ''; known: "
                                  "divide-after, divide-before, weight-by-count, sum-over-count");
}

TEST(StrategyClaim, CountsTheRoundingsBeforeTheLast) {  // NUMERICS 1.4
  EXPECT_EQ(claim("tree:divide-after").roundings, 0);
  EXPECT_EQ(claim("tree:divide-before").roundings, 1);
  EXPECT_EQ(claim("tree:weight-by-count").roundings, 1);
  EXPECT_EQ(claim("tree:sum-over-count").roundings, 0);
}

TEST(StrategyClaim, AWiderAccumulatorRoundsTheDivisionBeforeTheOutput) {
  EXPECT_EQ(claim("tree:divide-after:f64").roundings, 1);
  EXPECT_EQ(claim("tree:divide-before:f64").roundings, 1);  // its sum is rounded, not divided
  EXPECT_EQ(claim("tree:weight-by-count:f64").roundings, 2);
  EXPECT_EQ(claim("tree:sum-over-count:f64").roundings, 1);
}

TEST(StrategyClaim, ANarrowerAccumulatorConvertsEachTermToo) {
  EXPECT_EQ(claim("tree:divide-after:f32").roundings, 2);
  EXPECT_EQ(claim("tree:divide-before:f32").roundings, 2);
  EXPECT_EQ(claim("tree:weight-by-count:f32").roundings, 3);
  EXPECT_EQ(claim("tree:sum-over-count:f32").roundings, 2);
}

TEST(StrategyClaim, MeansOfMeansHoldForEqualShardsOnly) {
  EXPECT_EQ(claim("ring:divide-after").conditions, ConditionSet{Condition::equal});
  EXPECT_EQ(claim("ring:divide-before").conditions, ConditionSet{Condition::equal});
  EXPECT_EQ(claim("ring:weight-by-count").conditions, ConditionSet::all());
  EXPECT_EQ(claim("ring:sum-over-count").conditions, ConditionSet::all());
}

TEST(StrategyClaim, EveryStrategyIsConsistentInItself) {
  for (Topology topology : named_topologies()) {
    for (Scaling scaling :
         {Scaling::divide_after, Scaling::divide_before, Scaling::weight_by_count,
          Scaling::sum_over_count, Scaling::mean_of_means, Scaling::sum_of_means, Scaling::none}) {
      Strategy strategy;
      strategy.topology = topology;
      strategy.scaling = scaling;
      const Claim promised = claim_of(strategy);
      EXPECT_NO_THROW(validate(promised)) << name(strategy);
      EXPECT_EQ(promised.equal_bits, topology != Topology::own_rank_first);
      EXPECT_TRUE(promised.order_fixed);
    }
  }
}

}  // namespace
}  // namespace shardproof
