#include "shardproof/generators/cases.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "shardproof/case/error.h"

namespace shardproof {
namespace {

Case draw(int index, const Claim& claim = {}, const DrawOptions& options = {},
          std::uint64_t seed = 0) {
  return draw_case(seed, index, claim, SubjectKind::reducer, options);
}

/// Why a case may not be drawn; empty when it may.
std::string objection(const Case& problem, const Claim& claim, const DrawOptions& options) {
  try {
    validate(problem);
  } catch (const InputError& error) {
    return error.what();
  }
  if (const auto reason = excluded_by(claim, problem)) return *reason;
  if (!options.conditions.contains_all(conditions(problem))) {
    return "conditions " + describe(conditions(problem));
  }
  const int world = problem.world_size().value;
  if (world < options.min_world || world > options.max_world) return "world";
  for (const Step& step : problem.steps) {
    if (step.valid().value == 0) return "a step without a valid row";
  }
  return "";
}

void expect_inside(const Claim& claim, const DrawOptions& options, int cases) {
  for (std::uint64_t seed = 0; seed < 2; ++seed) {
    for (int index = 0; index < cases; ++index) {
      const Case problem = draw(index, claim, options, seed);
      ASSERT_EQ(objection(problem, claim, options), "")
          << "case " << index << ", seed " << seed << ", " << describe(claim.conditions)
          << ", world " << claim.min_world << ".." << claim.max_world;
    }
  }
}

std::string refusal(const Claim& claim, const DrawOptions& options) {
  try {
    draw(0, claim, options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(DrawnCases, AreValidAndInsideTheDefaultClaim) { expect_inside({}, {}, 2000); }

TEST(DrawnCases, StayInsideEverySetOfConditionsOnEveryWorld) {
  const std::map<int, int> worlds{{1, 1}, {2, 2}, {3, 3}, {4, 9}};
  for (int bits = 1; bits < 16; ++bits) {
    Claim claim;
    claim.conditions = {};
    for (const Condition condition : kAllConditions) {
      if ((bits >> static_cast<int>(condition) & 1) != 0) claim.conditions.insert(condition);
    }
    for (const auto& [low, high] : worlds) {
      if (claim.conditions == ConditionSet{Condition::empty} && high == 1) continue;
      claim.min_world = low;
      claim.max_world = high;
      expect_inside(claim, {}, 60);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(DrawnCases, FollowTheOptionsWhereTheyAreNarrowerThanTheClaim) {
  for (const Condition condition : kAllConditions) {
    const DrawOptions options{
        .dtypes = {Dtype::f64}, .conditions = {condition}, .min_world = 2, .max_world = 3};
    expect_inside({}, options, 100);
    for (int index = 0; index < 100; ++index) {
      ASSERT_EQ(draw(index, {}, options).dtype, Dtype::f64);
    }
  }
}

TEST(DrawnCases, KeepTheOneDtypeOfATypedSubject) {
  Claim claim;
  claim.only_dtype = Dtype::f32;
  for (int index = 0; index < 100; ++index) ASSERT_EQ(draw(index, claim).dtype, Dtype::f32);
}

TEST(DrawnCases, HaveSmallFinitePaddingUnlessAnyIsClaimed) {
  Claim any;
  any.padding = PaddingContent::any;
  int excluded_by_default = 0;
  for (int index = 0; index < 300; ++index) {
    const Case problem = draw(index, any);
    ASSERT_EQ(objection(problem, any, {}), "");
    excluded_by_default += excluded_by({}, problem) ? 1 : 0;
  }
  EXPECT_GT(excluded_by_default, 50);
}

TEST(DrawnCases, DependOnTheirArgumentsAlone) {
  const Case alone = draw(1000, {}, {}, 7);
  for (int index = 0; index < 1000; ++index) draw(index, {}, {}, 7);
  EXPECT_TRUE(draw(1000, {}, {}, 7) == alone);
  EXPECT_FALSE(draw(1000, {}, {}, 8) == alone);
  EXPECT_FALSE(draw(1001, {}, {}, 7) == alone);
}

TEST(DrawnCases, OfAnotherSeedDifferFromTheFirstOn) {
  EXPECT_FALSE(draw(0, {}, {}, 0) == draw(0, {}, {}, 1));
}

bool has_absent_layer(const Case& problem) {
  for (const Shard& shard : problem.steps.front().shards) {
    for (const MicroBatch& rows : shard.micro_batches) {
      if (!rows.absent.empty()) return true;
    }
  }
  return false;
}

/// What faults depend on, and whether a case has it.
std::map<std::string, bool> traits(const Case& problem) {
  std::map<std::string, bool> found;
  for (const Condition condition : kAllConditions) {
    found[std::string(name(condition))] = conditions(problem).contains(condition);
  }
  const int world = problem.world_size().value;
  const std::vector<Layer>& layers = problem.model.layers;
  const std::size_t first_leaf = tree_shape(problem.model)->leaves.front().size();
  int exponent = 0;
  found["f32"] = problem.dtype == Dtype::f32;
  found["f64"] = problem.dtype == Dtype::f64;
  found["one rank"] = world == 1;
  found["world no power of two"] = (world & (world - 1)) != 0;
  found["leaf that the world does not divide"] = first_leaf % static_cast<std::size_t>(world) != 0;
  found["several micro-batches"] = problem.steps.front().micro_batches() > 1;
  found["several steps"] = problem.steps.size() > 1;
  found["several layers"] = layers.size() > 1;
  found["layers of unlike outputs"] = layers.front().outputs != layers.back().outputs;
  found["no bias"] = !layers.front().bias;
  found["absent layer"] = has_absent_layer(problem);
  found["arrival"] = !problem.arrival.empty();
  found["learning rate no power of two"] = std::frexp(problem.learning_rate, &exponent) != 0.5;
  return found;
}

TEST(DrawnCases, CoverWhatFaultsDependOn) {
  std::map<std::string, int> seen;
  int wide_worlds = 0;
  for (int index = 0; index < 2000; ++index) {
    const Case problem = draw(index);
    for (const auto& [what, is_so] : traits(problem)) seen[what] += is_so ? 1 : 0;
    wide_worlds += problem.world_size().value > 8 ? 1 : 0;
  }
  for (const auto& [what, times] : seen) EXPECT_GE(times, 150) << what;
  EXPECT_GE(wide_worlds, 40);
}

/// An upper bound of every sum on the way to gradient and loss of the first step.
double largest_sum(const Case& problem) {
  double parameter = 0;
  for (const double value : problem.model.parameters) {
    parameter = std::max(parameter, std::fabs(value));
  }
  double x = 1;
  double y = 0;
  double rows = 0;
  for (const Shard& shard : problem.steps.front().shards) {
    for (const MicroBatch& batch : shard.micro_batches) {
      rows += batch.rows();
      for (const double value : batch.x) x = std::max(x, std::fabs(value));
      for (const double value : batch.y) y = std::max(y, std::fabs(value));
    }
  }
  const double residual = (problem.model.features + 1) * x * parameter + y;
  return std::max(residual * residual, x * residual) * rows * problem.model.outputs();
}

TEST(DrawnCases, StayFarFromOverflowButForOneInTwenty) {
  std::map<Dtype, int> near;
  for (int index = 0; index < 2000; ++index) {
    const Case problem = draw(index);
    near[problem.dtype] += largest_sum(problem) > format(problem.dtype).largest ? 1 : 0;
  }
  for (const Dtype dtype : {Dtype::f32, Dtype::f64}) {
    EXPECT_GT(near[dtype], 10);
    EXPECT_LT(near[dtype], 80);  // of about a thousand
  }
}

TEST(FirstCases, BeginWithADiscriminatingOneAndAlternateTheDtypes) {
  EXPECT_EQ(draw(0).world_size().value, 5);
  EXPECT_EQ(draw(0).dtype, Dtype::f32);
  EXPECT_EQ(draw(1).dtype, Dtype::f64);
}

TEST(FirstCases, HaveSmallIntegersSoThatFaultsAreUnmistakable) {
  for (int index = 0; index < 14; ++index) {
    for (const double value : draw(index).model.parameters) {
      EXPECT_EQ(value, std::trunc(value));
      EXPECT_LE(std::fabs(value), 2);
    }
  }
}

TEST(FirstCases, ContainOneWithASingleElementThatIsNotZero) {
  const Case problem = draw(2);
  const auto outputs = static_cast<std::size_t>(problem.model.outputs());
  int targets = 0;
  int valid = 0;
  for (const Shard& shard : problem.steps.front().shards) {
    for (const MicroBatch& rows : shard.micro_batches) {
      for (std::size_t i = 0; i < rows.y.size(); ++i) {
        targets += rows.mask[i / outputs] != 0 && rows.y[i] != 0 ? 1 : 0;
      }
      valid += static_cast<int>(rows.valid().value);
    }
  }
  EXPECT_EQ(targets, 1);
  EXPECT_GT(valid, 1);
  for (const double parameter : problem.model.parameters) EXPECT_EQ(parameter, 0);
}

TEST(FirstCases, ShowEveryConditionAloneWithinTheFirstTen) {
  std::set<std::string> alone;
  for (int index = 0; index < 10; ++index) alone.insert(describe(conditions(draw(index))));
  for (const Condition condition : kAllConditions) {
    EXPECT_TRUE(alone.count(std::string(name(condition))) != 0) << name(condition);
  }
}

TEST(ContradictoryOptions, AreRefusedByName) {
  Claim equal;
  equal.conditions = {Condition::equal};
  DrawOptions options;
  options.conditions = {Condition::padded};
  EXPECT_EQ(refusal(equal, options),
            "conditions: padded asked for, but the claim admits equal only");
  Claim large;
  large.min_world = 20;
  EXPECT_EQ(refusal(large, {}), "world: 1..16 asked for, but the claim admits 20..64");
  Claim typed;
  typed.only_dtype = Dtype::f32;
  options = {};
  options.dtypes = {Dtype::f64};
  EXPECT_EQ(refusal(typed, options), "dtypes: f64 asked for, but the claim takes f32 only");
}

TEST(ContradictoryOptions, AreRefusedWithoutAClaimToo) {
  DrawOptions options;
  options.dtypes = {Dtype::bf16};
  EXPECT_EQ(refusal({}, options),
            "dtypes: bf16 asked for, but the claim does not say in which dtype bf16 is summed: "
            "accumulate=f32, accumulate=case, ...");
  options = {};
  options.conditions = {};
  EXPECT_EQ(refusal({}, options), "conditions: none is given");
  options = {};
  options.min_world = 9;
  options.max_world = 3;
  EXPECT_EQ(refusal({}, options), "world: 9..3 is no range within 1..64");
  options = {};
  options.conditions = {Condition::empty};
  options.max_world = 1;
  EXPECT_EQ(refusal({}, options),
            "conditions: an empty rank beside one with rows needs a world of 2 or more, but the "
            "world is 1..1");
}

}  // namespace
}  // namespace shardproof
