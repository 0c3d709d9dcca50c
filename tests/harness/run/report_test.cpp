#include "shardproof/run/report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace shardproof {
namespace {

MicroBatch rows(std::vector<double> x, std::vector<double> y, std::vector<std::uint8_t> mask) {
  return {std::move(x), std::move(y), std::move(mask), {}};
}

Case two_ranks() {
  Case problem;
  problem.model = {1, {{1, true}}, {0, 0.1F}};
  problem.steps = {
      Step{{Shard{{rows({1, 1, 9}, {1, 1, 7}, {1, 1, 0})}}, Shard{{rows({}, {}, {})}}}}};
  problem.mesh = {{{"data", 2}}};
  return problem;
}

ReportHeader header() {
  return {.subject = "psum", .kind = SubjectKind::reducer, .claim = {}, .seed = 7};
}

RunResult passed() {
  return {.tallies = {{"matches_reference", 3, 0, 0, ""},
                      {"ranks_agree", 2, 0, 1, "one rank"},
                      {"second_step", 0, 0, 3, "a single step <&\">"}},
          .finding = {},
          .cases = 3,
          .executions = 4};
}

RunResult failed() {
  const auto problem = std::make_shared<const Case>(two_ranks());
  const Failure failure{.kind = FailureKind::wrong_gradient,
                        .rank = {},
                        .every_rank = true,
                        .element = "kernel[0,0]",
                        .returned = 3,
                        .exact = "2",
                        .limit = "2.0000008",
                        .basis = "end to end, from the rows",
                        .sentence = "kernel[0,0]: every rank returned 3; exact 2 < 3 & \"more\""};
  RunResult result = passed();
  result.tallies[0].failed = 1;
  result.finding = Finding{.property = "matches_reference",
                           .also = {"masked_count", "empty_rank"},
                           .case_index = 2,
                           .executions_to_find = 1,
                           .found = {problem, failure},
                           .minimal = {problem, failure},
                           .executions_to_shrink = 12,
                           .fully_shrunk = true};
  return result;
}

TEST(TextReport, ShowsTheCaseTheProofTheAssumptionAndTheReplay) {
  ReportHeader with_file = header();
  with_file.minimal_file = "out/a.json";
  EXPECT_EQ(text_report(with_file, failed()),
            R"(FAILED (refuted)  matches_reference   f32, 2 ranks, 1 execution to find, 12 to shrink
  parameters  kernel [0]  bias [0.1]
  rank 0  3 rows (1 padded)  x [1] [1] ~[9]  y [1] [1] ~[7]
  rank 1  no rows
  kernel[0,0]: every rank returned 3; exact 2 < 3 & "more"
  also fails: masked_count, empty_rank
  assumed: target weighted mean, any placement, f32 accumulation
  saved out/a.json   replay: shardproof replay out/a.json
subject psum, seed 7: 3 cases, 4 executions; case 2 fails
FAILED   matches_reference  3 passed, 1 failed
PASSED   ranks_agree        2 passed, 1 not applicable
SKIPPED  second_step        a single step <&">
)");
}

TEST(TextReport, SaysWhatWasAssumedInEachDtypeThatWasJudged) {
  RunResult result = passed();
  result.power = {{.dtype = Dtype::f64, .world = 1},
                  {.dtype = Dtype::bf16, .world = 1},
                  {.dtype = Dtype::bf16, .world = 2}};
  const std::string open = text_report(header(), result);
  EXPECT_NE(open.find("assumed, in f64: target weighted mean, any placement, f64 acc"), open.npos);
  EXPECT_NE(open.find("assumed, in bf16: target weighted mean, any placement, bf16 acc"),
            open.npos);
  EXPECT_EQ(open.find("in f32"), open.npos) << open;
  ReportHeader wide = header();
  wide.claim.accumulate = Dtype::f64;
  const std::string same = text_report(wide, result);
  EXPECT_NE(same.find("assumed, in f64, bf16: target weighted mean, any placement, f64 acc"),
            same.npos);
}

TEST(TextReport, BriefLeavesOutWhatDidNotFailButNeverTheSeed) {
  ReportHeader brief = header();
  brief.brief = true;
  const std::string text = text_report(brief, passed());
  EXPECT_EQ(text.find("PASSED"), std::string::npos);
  EXPECT_NE(text.find("seed 7"), std::string::npos);
  EXPECT_NE(text_report(brief, failed()).find("FAILED   matches_reference"), std::string::npos);
}

TEST(TextReport, AHangIsNotCalledAProof) {
  RunResult result = failed();
  result.finding->minimal.failure.kind = FailureKind::hung;
  EXPECT_EQ(text_report(header(), result).find("FAILED (hung, which is no proof)"), 0U);
  result.finding->minimal.failure.kind = FailureKind::deadlocked;
  EXPECT_EQ(text_report(header(), result).find("FAILED (deadlocked)"), 0U);
}

TEST(TextReport, SaysWhenShrinkingDidNotFinish) {
  RunResult result = failed();
  EXPECT_EQ(text_report(header(), result).find("not fully shrunk"), std::string::npos);
  result.finding->fully_shrunk = false;
  EXPECT_NE(text_report(header(), result).find("not fully shrunk"), std::string::npos);
}

TEST(CaseDescription, NamesStepsMicroBatchesUnusedLayersAndArrival) {
  Case problem;
  problem.model = {2, {{1, true}, {2, false}}, {1, 2, 3, 4, 5, 6, 7}};
  MicroBatch one = rows({1, 2}, {3, 4, 5}, {1});
  one.absent = {0, 1};
  const Step step{{Shard{{one, rows({0, 0.5}, {1, 1, 1}, {0})}}}};
  problem.steps = {step, step};
  problem.mesh = {{{"data", 1}}};
  problem.arrival = {0};
  EXPECT_EQ(
      describe(problem, SubjectKind::train_step),
      R"(parameters  layer0/kernel [1 2]  layer0/bias [3]  layer1/kernel [[4 5][6 7]]  learning rate 0.5
ranks arrive in the order 0
step 0  rank 0  micro-batch 0  1 row  x [1 2]  y [3 4 5]  without layer 1
step 0  rank 0  micro-batch 1  1 row (1 padded)  x ~[0 0.5]  y ~[1 1 1]
step 1  rank 0  micro-batch 0  1 row  x [1 2]  y [3 4 5]  without layer 1
step 1  rank 0  micro-batch 1  1 row (1 padded)  x ~[0 0.5]  y ~[1 1 1]
)");
}

TEST(CaseDescription, OfAHugeCaseStaysShort) {
  Case problem = two_ranks();
  problem.mesh = {{{"data", 64}}};
  const std::vector<double> many(5000, 0.1F);
  const std::vector<std::uint8_t> kept(5000, 1);
  problem.steps = {Step{std::vector<Shard>(64, Shard{{rows(many, many, kept)}})}};
  for (int rank = 0; rank < 64; ++rank) {
    problem.steps[0].shards[static_cast<std::size_t>(rank)].micro_batches[0].x[0] = rank;
  }
  const std::string text = describe(problem, SubjectKind::train_step);
  EXPECT_LT(text.size(), 20000U);
  EXPECT_NE(text.find("... 4988 more"), std::string::npos);
  EXPECT_NE(text.find("... 24 more micro-batches"), std::string::npos);
}

TEST(CaseDescription, PutsAlikeRanksOnOneLine) {
  Case problem = two_ranks();
  problem.mesh = {{{"data", 64}}};
  problem.steps = {Step{std::vector<Shard>(64, Shard{{rows({}, {}, {})}})}};
  problem.steps[0].shards[0] = Shard{{rows({1}, {2}, {1})}};
  problem.steps[0].shards[1] = Shard{{rows({1}, {2}, {1})}};
  const std::string text = describe(problem, SubjectKind::reducer);
  EXPECT_NE(text.find("ranks 0 and 1  1 row  x [1]  y [2]\nranks 2 to 63  no rows\n"),
            std::string::npos)
      << text;
}

TEST(JsonReport, HoldsTheFindingWithBothCases) {
  const auto report = nlohmann::json::parse(json_report(header(), failed()));
  EXPECT_EQ(report["format"], "shardproof.report");
  EXPECT_EQ(report["seed"], 7);
  EXPECT_EQ(report["claim"], settings(Claim{}));
  EXPECT_EQ(report["properties"][0]["result"], "failed");
  EXPECT_EQ(report["properties"][1]["result"], "passed");
  EXPECT_EQ(report["properties"][2]["reason"], "a single step <&\">");
  const auto& finding = report["finding"];
  EXPECT_EQ(finding["property"], "matches_reference");
  EXPECT_EQ(finding["also"], (std::vector<std::string>{"masked_count", "empty_rank"}));
  EXPECT_EQ(finding["minimal"]["failure"]["kind"], "wrong_gradient");
  EXPECT_EQ(finding["minimal"]["failure"]["returned"], 3.0);
  EXPECT_EQ(finding["minimal"]["case"]["mesh"][0]["size"], 2);
  EXPECT_FALSE(finding["minimal"].contains("file"));
}

TEST(JsonReport, WithoutAFindingSaysNull) {
  EXPECT_TRUE(nlohmann::json::parse(json_report(header(), passed()))["finding"].is_null());
}

TEST(JunitReport, CountsAndNamesEveryProperty) {
  const std::string xml = junit_report(header(), failed());
  EXPECT_NE(
      xml.find(
          R"(<testsuite name="shardproof.psum" tests="3" failures="1" errors="0" skipped="1" time="0">)"),
      std::string::npos);
  EXPECT_NE(xml.find(R"(<testcase classname="shardproof.psum" name="ranks_agree" time="0"/>)"),
            std::string::npos);
  EXPECT_NE(xml.find(R"(<skipped message="a single step &lt;&amp;&quot;&gt;"/>)"),
            std::string::npos);
  EXPECT_NE(
      xml.find(R"(exact 2 &lt; 3 &amp; &quot;more&quot;" type="wrong_gradient">FAILED (refuted))"),
      std::string::npos);
}

TEST(JunitReport, WhatXmlCannotHoldIsReplaced) {
  RunResult result = failed();
  result.finding->minimal.failure.sentence = "a\x01 b\xFF c";
  const std::string xml = junit_report(header(), result);
  EXPECT_NE(xml.find("a? b\xEF\xBF\xBD c"), std::string::npos);
  EXPECT_EQ(xml.find('\x01'), std::string::npos);
}

}  // namespace
}  // namespace shardproof
