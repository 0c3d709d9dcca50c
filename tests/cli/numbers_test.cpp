// The verbs that print numbers to be relied on: bound, claim, soak.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace shardproof::testing {
namespace {

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

class Bound : public ProgramTest {};
class ClaimOf : public ProgramTest {};
class SoakRun : public ProgramTest {};

TEST_F(Bound, OfGivenTermsIsTheLeastAndTheGreatestRightResult) {
  const Ended one = run({"bound", "--ranks", "2", "--terms", "1,2", "--counts", "1,3",
                         "--summation", "tree", "--placement", "1"});
  EXPECT_EQ(one.status, 0) << one.err;
  EXPECT_TRUE(contains(one.out, "E = exact value 7/4")) << one.out;
  EXPECT_TRUE(contains(one.out,
                       "a right reducer returns at least 1.749999761581421 and at most "
                       "1.750000238418579\n"))
      << one.out;
}

TEST_F(Bound, ToASixteenBitResultOfAWideSumIsASingleValue) {
  const Ended one =
      run({"bound", "--dtype", "bf16", "--accumulate", "f32", "--ranks", "3", "--terms", "1,2,3"});
  EXPECT_TRUE(contains(one.out, "a right reducer returns at least 2 and at most 2\n")) << one.out;
}

TEST_F(Bound, WithoutTermsIsInUnitsOfTheirMagnitudes) {
  const Ended one = run({"bound", "--dtype", "bf16", "--ranks", "16"});
  EXPECT_TRUE(contains(one.out, "n = 16 ")) << one.out;
  EXPECT_TRUE(contains(one.out, "u = 2^-8 = 0.00390625 ")) << one.out;
  EXPECT_TRUE(contains(one.out, "rtol 0.0868573 where all terms have one sign")) << one.out;
}

TEST_F(Bound, OfACancellingSumIsNoRtol) {
  const Ended one = run({"bound", "--terms", "1,-1"});
  EXPECT_TRUE(contains(one.out, "no rtol does for an exact 0; atol ")) << one.out;
}

TEST_F(Bound, RefusesWhatDoesNotFitInOneLine) {
  expect_refused(run({"bound", "--terms", "1"}),
                 "shardproof bound: --terms has 1 numbers, not 2 (--ranks 2, --micro-batches 1)");
  expect_refused(run({"bound", "--terms", "1,0.1"}),
                 "shardproof bound: --terms: 0.1 is no value of f32");
  expect_refused(run({"bound", "--terms", "1,x"}),
                 "shardproof bound: --terms must be finite numbers separated by commas, not `x`");
  expect_refused(run({"bound", "--counts", "0,0"}), "shardproof bound: --counts: no row is valid");
  expect_refused(run({"bound", "--ranks", "65"}), "shardproof bound: --ranks must be at most 64");
  expect_refused(run({"bound", "--summation", "ring"}),
                 "shardproof bound: --summation must be any or tree, not `ring`");
  expect_refused(run({"bound", "--dtype", "f8"}), "shardproof bound: --dtype knows no `f8`");
}

TEST_F(ClaimOf, ASubjectIsTheWeakestThatFits) {
  const Ended one =
      run({"claim", "mean-of-means", "--seed", "1", "--cases", "60", "--world", "1..4"});
  EXPECT_EQ(one.status, 0) << one.err;
  EXPECT_TRUE(contains(one.out, "equal shards")) << one.out;
  EXPECT_TRUE(contains(one.out, "or consistent if you claim: ")) << one.out;
  EXPECT_TRUE(contains(one.out, "  without \"equal shards\": matches_reference: ")) << one.out;
  expect_refused(run({"claim"}), "shardproof claim: no SUBJECT");
}

TEST_F(SoakRun, FindsNoFalseRefutationAndWritesWhatItReached) {
  const Ended one =
      run({"soak", "--judgements", "50000", "--seed", "1", "--json", "soak.json", "--jobs", "2"});
  EXPECT_EQ(one.status, 0) << one.out;
  EXPECT_TRUE(contains(one.out, "0 false refutations\n")) << one.out;
  const nlohmann::json report = nlohmann::json::parse(contents(directory_ / "soak.json"));
  EXPECT_GE(report["judgements"], 50000);
  EXPECT_EQ(report["false_refutations"], 0);
  EXPECT_GT(report["claims"].size(), 10);
  const Ended again = run({"soak", "--judgements", "50000", "--seed", "1", "--jobs", "1"});
  EXPECT_EQ(one.out, again.out);
}

}  // namespace
}  // namespace shardproof::testing
