#include "shardproof/case/claim.h"

#include <gtest/gtest.h>

#include <string>

#include "harness/case/settings_message.h"
#include "shardproof/case/error.h"

namespace shardproof {
namespace {

/// One row on rank 0, one padded row with `garbage` on rank 1.
Case padded_case(double garbage) {
  Case problem;
  problem.model = {.features = 1, .layers = {{1, false}}, .parameters = {0}};
  const MicroBatch valid{.x = {1}, .y = {1}, .mask = {1}, .absent = {}};
  const MicroBatch padded{.x = {garbage}, .y = {0}, .mask = {0}, .absent = {}};
  problem.steps = {Step{{Shard{{valid}}, Shard{{padded}}}}};
  problem.mesh.axes.front().size = 2;
  return problem;
}

TEST(ExcludedBy, AdmitsWhatTheClaimNames) {
  EXPECT_EQ(excluded_by({}, padded_case(7)), std::nullopt);
  EXPECT_EQ(excluded_by({.conditions = {Condition::padded, Condition::empty}}, padded_case(0)),
            std::nullopt);
}

TEST(ExcludedBy, NamesTheWorldSize) {
  EXPECT_EQ(excluded_by({.min_world = 3}, padded_case(0)), "world size 2 is not claimed (3 to 64)");
  EXPECT_EQ(excluded_by({.max_world = 1}, padded_case(0)), "world size 2 is not claimed (1 to 1)");
}

TEST(ExcludedBy, NamesTheDtype) {
  EXPECT_EQ(excluded_by({.only_dtype = Dtype::f64}, padded_case(0)), "dtype f32 is not claimed");
  EXPECT_EQ(excluded_by({.only_dtype = Dtype::f32}, padded_case(0)), std::nullopt);
}

TEST(ExcludedBy, NamesTheCondition) {
  EXPECT_EQ(excluded_by({.conditions = {Condition::padded}}, padded_case(0)),
            "condition empty is not claimed");
  EXPECT_EQ(excluded_by({.conditions = {Condition::equal}}, padded_case(0)),
            "condition padded is not claimed");
}

TEST(ExcludedBy, RefusesLargePaddingUnlessItIsClaimed) {
  const std::string reason = "padding that is large or not finite is not claimed";
  for (double garbage : {2e6, -2e6, 1.0 / 0.0, 0.0 / 0.0}) {
    EXPECT_EQ(excluded_by({}, padded_case(garbage)), reason);
    EXPECT_EQ(excluded_by({.padding = PaddingContent::any}, padded_case(garbage)), std::nullopt);
  }
  EXPECT_EQ(excluded_by({}, padded_case(-1e6)), std::nullopt);
}

TEST(WithSettings, SetsTheFieldOfEachKey) {
  const Claim claim = with_settings(
      {},
      "target=sum,input=local-sum,conditions=equal+empty,world=2..16,dtype=f32,accumulate=f64,"
      "roundings=3,levels=2,summation=tree,rounding=faithful,flush=either,padding=any,all-empty="
      "nan-allowed,"
      "update=from-returned,order-fixed=yes,equal-bits=no,inputs-overwritten=yes");
  const Claim expected{.target = Target::sum,
                       .input = InputForm::local_sum,
                       .conditions = {Condition::equal, Condition::empty},
                       .min_world = 2,
                       .max_world = 16,
                       .only_dtype = Dtype::f32,
                       .accumulate = Dtype::f64,
                       .roundings = 3,
                       .levels = 2,
                       .summation = Summation::tree,
                       .rounding = Rounding::faithful,
                       .flush = Flush::either,
                       .padding = PaddingContent::any,
                       .all_empty = AllEmpty::nan_allowed,
                       .update = Update::from_returned,
                       .order_fixed = true,
                       .equal_bits = false,
                       .inputs_overwritten = true};
  EXPECT_EQ(claim, expected);
  EXPECT_EQ(with_settings({}, settings(claim)), claim);
}

TEST(WithSettings, KeepsWhatIsNotNamed) {
  const Claim before = with_settings({}, "world=4,accumulation=running-mean");
  EXPECT_EQ(before.min_world, 4);
  EXPECT_EQ(before.max_world, 4);
  EXPECT_EQ(with_settings(before, ""), before);
  EXPECT_EQ(with_settings(before, "accumulate=unsaid,roundings=any"), before);
  EXPECT_EQ(with_settings({}, settings(before)), before);
  EXPECT_EQ(with_settings(before, settings({})), Claim{});
}

TEST(RoleDtypes, FollowTheCaseUnlessTheClaimSaysOthers) {
  const RoleDtypes plain = role_dtypes({}, Dtype::f32);
  EXPECT_EQ(plain.gradient, Dtype::f32);
  EXPECT_EQ(plain.accumulate, Dtype::f32);
  EXPECT_EQ(plain.output, Dtype::f32);
  EXPECT_EQ(plain.multiply, Dtype::f32);
  EXPECT_FALSE(plain.wire || plain.count || plain.master);

  const RoleDtypes mixed =
      role_dtypes(with_settings({}, "gradient=f32,wire=f16,count=bf16,master=f32"), Dtype::bf16);
  EXPECT_EQ(mixed.gradient, Dtype::f32);
  EXPECT_EQ(mixed.accumulate, Dtype::f32);  // as the contributions
  EXPECT_EQ(mixed.output, Dtype::f32);
  EXPECT_EQ(mixed.wire, Dtype::f16);
  EXPECT_EQ(mixed.count, Dtype::bf16);
  EXPECT_EQ(mixed.master, Dtype::f32);
}

TEST(RoleDtypes, ProductsOfSixteenBitCasesAreInF32UnlessClaimedOtherwise) {
  const Claim narrow = with_settings({}, "accumulate=case");
  EXPECT_EQ(role_dtypes(narrow, Dtype::bf16).multiply, Dtype::f32);
  EXPECT_EQ(role_dtypes(narrow, Dtype::bf16).accumulate, Dtype::bf16);
  EXPECT_EQ(role_dtypes(with_settings({}, "multiply=bf16"), Dtype::bf16).multiply, Dtype::bf16);
  // A train step may use a coarser accumulator for its own sums.
  EXPECT_EQ(role_dtypes(with_settings({}, "accumulate=f32"), Dtype::f64).multiply, Dtype::f32);
}

TEST(Claims, TakeSixteenBitContributionsOnlyWhereTheySayHowTheyAreSummed) {
  const auto why = [](const char* settings, Dtype dtype) {
    Case problem = padded_case(0);
    problem.dtype = dtype;
    return excluded_by(with_settings({}, settings), problem).value_or("");
  };
  EXPECT_EQ(why("", Dtype::f32), "");
  EXPECT_EQ(why("", Dtype::bf16), "accumulate is not claimed, as contributions in bf16 need");
  EXPECT_EQ(why("accumulate=case", Dtype::bf16), "");
  EXPECT_EQ(why("accumulate=f32", Dtype::f16), "");
  EXPECT_EQ(why("gradient=f32", Dtype::f16), "");
  EXPECT_EQ(why("gradient=f16", Dtype::f32),
            "accumulate is not claimed, as contributions in f16 need");
}

TEST(WithSettings, NamesTheKeyAndWhatItTakes) {
  EXPECT_EQ(message_of("colour=red").substr(0, 53),
            "claim: unknown key `colour`; keys are target, input, ");
  EXPECT_EQ(message_of("world"), "claim: `world` is not KEY=VALUE");
  EXPECT_EQ(message_of("world=2..16,world=3..4"), "claim: world: is given twice");
  EXPECT_EQ(message_of("world=2..16,"), "claim: ends in a comma");
  EXPECT_EQ(message_of("target=mean"),
            "claim: target: `mean` is not allowed; allowed: weighted-mean, mean-over-ranks, sum");
  EXPECT_EQ(message_of("conditions=equal+"),
            "claim: conditions: `equal+` is not allowed; allowed: equal, unequal, padded, empty, "
            "joined by +");
  EXPECT_EQ(message_of("accumulate=f8"),
            "claim: accumulate: `f8` is not allowed; allowed: unsaid, case, f64, f32, bf16, f16");
  EXPECT_EQ(message_of("dtype=case"),
            "claim: dtype: `case` is not allowed; allowed: any, f64, f32, bf16, f16");
  EXPECT_EQ(message_of("equal-bits=true"),
            "claim: equal-bits: `true` is not allowed; allowed: yes, no");
  EXPECT_EQ(message_of("roundings=-1"),
            "claim: roundings: `-1` is not allowed; allowed: any, or a number from 0 to 1000");
  for (const char* world : {"9..3", "0", "0..4", "1..65", "..", "2..", "1...4", "1..4x", ""}) {
    EXPECT_EQ(message_of("world=" + std::string(world)),
              "claim: world: `" + std::string(world) +
                  "` is not allowed; allowed: A..B within "
                  "1..64, or several joined by +");
  }
}

TEST(ValidateClaim, RefusesFieldsThatDoNotFitEachOther) {
  EXPECT_EQ(message_of("target=mean-over-ranks,input=global-mean"),
            "claim: target mean-over-ranks needs input local-mean");
  EXPECT_EQ(message_of("accumulation=running-mean,input=local-sum"),
            "claim: accumulation running-mean needs input local-mean and a mean as target");
  EXPECT_EQ(message_of("accumulation=running-mean,summation=tree"),
            "claim: accumulation running-mean is not summation tree");
  EXPECT_THROW(validate(Claim{.conditions = {}}), InputError);
  EXPECT_THROW(validate(Claim{.min_world = 5, .max_world = 4}), InputError);
  EXPECT_THROW(validate(Claim{.levels = 0}), InputError);
  EXPECT_THROW(validate(Claim{.roundings = -1}), InputError);
}

TEST(DescribeClaim, NamesWhatAVerdictRestsOn) {
  EXPECT_EQ(describe(Claim{}, Dtype::f32), "target weighted mean, any placement, f32 accumulation");
  EXPECT_EQ(
      describe(with_settings({}, "target=sum,roundings=1,accumulate=f64,flush=yes"), Dtype::f32),
      "target sum, 1 rounding of each term before the last, f64 accumulation, subnormals "
      "flushed");
}

}  // namespace
}  // namespace shardproof
