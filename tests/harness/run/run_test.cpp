// Drawing, executing and judging many cases: what is counted, reported and when it ends.

#include "shardproof/run/run.h"

#include <gtest/gtest.h>

#include "harness/subject/cases.h"
#include "shardproof/case/error.h"
#include "shardproof/subject/all_at_once.h"

namespace shardproof {
namespace {

std::unique_ptr<Subject> first_rank_only() {
  return all_at_once("first", {}, [](std::span<std::vector<Contribution>> all, Dtype) {
    return Reduced{.gradient = all[0][0].gradient, .loss = {}, .count = {}, .norm = {}};
  });
}

/// Fails where the first row of the case is `bad` or more.
Property fails_from(std::string name, double bad) {
  Property property;
  property.name = std::move(name);
  property.check = [bad](const Trial& base, std::span<const Trial>) -> Verdict {
    const std::vector<double>& x = base.problem->steps[0].shards[0].micro_batches[0].x;
    if (x.empty() || x[0] < bad) return Consistent{};
    Failure failure;
    failure.sentence = "too large";
    return failure;
  };
  return property;
}

/// Case i has the first row i.
RunOptions numbered(int cases) {
  RunOptions options;
  options.cases = cases;
  options.shrink_budget = 0;
  options.draw = [](int i) { return *test::case_of({{{{static_cast<double>(i)}}, {{1}}}}); };
  return options;
}

TEST(Run, ReportsTheLowestCaseAndTheFirstPropertyThatFailsOnIt) {
  const auto subject = first_rank_only();
  const std::vector<Property> properties{fails_from("later", 9), fails_from("first", 4),
                                         fails_from("second", 4)};
  const RunResult result = run(*subject, properties, numbered(100));
  ASSERT_TRUE(result.finding);
  EXPECT_EQ(result.finding->case_index, 4);
  EXPECT_EQ(result.finding->property, "first");
  EXPECT_EQ(result.finding->also, std::vector<std::string>{"second"});
  EXPECT_EQ(result.finding->executions_to_find, 5);
  EXPECT_EQ(result.cases, 5);
  EXPECT_EQ(result.tallies[0].passed, 5);
  EXPECT_EQ(result.tallies[1].failed, 1);
}

TEST(Run, TellsOfAFindingBeforeItShrinks) {
  const auto subject = first_rank_only();
  const std::vector<Property> properties{fails_from("large", 3)};
  RunOptions options = numbered(10);
  int told = 0;
  options.on_found = [&](const Finding& finding) {
    ++told;
    EXPECT_EQ(finding.executions_to_shrink, 0);
    EXPECT_EQ(finding.case_index, 3);
  };
  run(*subject, properties, options);
  EXPECT_EQ(told, 1);
}

TEST(Run, ShrinksWhatItFindsAsLongAsTheSameFails) {
  const auto subject = first_rank_only();
  const std::vector<Property> properties{fails_from("large", 3)};
  RunOptions options = numbered(100);
  options.shrink_budget = 500;
  options.draw = [](int) { return *test::case_of({{{{96}}, {{1}}}, {{{7}}, {{5}}}}); };
  const RunResult result = run(*subject, properties, options);
  ASSERT_TRUE(result.finding);
  const Case& minimal = *result.finding->minimal.problem;
  EXPECT_EQ(minimal.steps.size(), 1U);
  EXPECT_GE(minimal.steps[0].shards[0].micro_batches[0].x[0], 3);
  EXPECT_LT(minimal.steps[0].shards[0].micro_batches[0].x[0], 96);
  EXPECT_TRUE(result.finding->fully_shrunk);
}

TEST(Run, CountsWhatDoesNotApplyWithTheFirstReason) {
  const auto subject = first_rank_only();
  Property property = fails_from("never", 1000);
  int asked = 0;
  property.excluded = [&](const Premise&) -> std::optional<std::string> {
    return "reason " + std::to_string(asked++);
  };
  const RunResult result = run(*subject, std::vector{property}, numbered(7));
  EXPECT_EQ(result.tallies[0].skipped, 7);
  EXPECT_EQ(result.tallies[0].passed, 0);
  EXPECT_EQ(result.tallies[0].first_skip_reason, "reason 0");
  EXPECT_FALSE(result.finding);
}

TEST(Run, ExecutesRelatedCasesForThePropertyThatAsks) {
  const auto subject = first_rank_only();
  Property property = fails_from("pairs", 1000);
  property.related = [](const Premise& premise) { return std::vector<Case>(2, premise.problem); };
  property.check = [](const Trial&, std::span<const Trial> related) -> Verdict {
    if (related.size() == 2) return Consistent{};
    return Failure{};
  };
  const RunResult result =
      run(*subject, std::vector{fails_from("other", 1000), property}, numbered(3));
  EXPECT_FALSE(result.finding);
  EXPECT_EQ(result.executions, 9);
  EXPECT_EQ(result.cases, 3);
}

CaseClass first_row_below(double limit) {
  return {"below " + std::to_string(static_cast<int>(limit)),
          [=](const Case& c) { return c.steps[0].shards[0].micro_batches[0].x[0] < limit; }};
}

TEST(Run, CountsTheJudgedCasesOfEveryClassAndSaysWhichAreMissing) {
  const auto subject = first_rank_only();
  Property property = fails_from("never", 1000);
  property.excluded = [](const Premise& p) -> std::optional<std::string> {
    if (p.problem.steps[0].shards[0].micro_batches[0].x[0] < 2) return "too small";
    return std::nullopt;
  };
  RunOptions options = numbered(6);
  options.classes = {first_row_below(5), first_row_below(2), first_row_below(0)};
  const RunResult result = run(*subject, std::vector{property}, options);
  ASSERT_EQ(result.coverage.size(), 3U);
  EXPECT_EQ(result.coverage[0].drawn, 5);
  EXPECT_EQ(result.coverage[0].judged, 3);
  EXPECT_EQ(result.coverage[1].drawn, 2);
  EXPECT_EQ(result.coverage[1].judged, 0);
  // No property asks for the second; nothing of the third was drawn.
  const std::vector<ClassCount> missing = not_covered(result);
  ASSERT_EQ(missing.size(), 1U);
  EXPECT_EQ(missing[0].name, "below 0");
}

TEST(Run, MissesNothingWhereItEndedEarlyOrFailed) {
  const auto subject = first_rank_only();
  RunOptions options = numbered(6);
  options.classes = {first_row_below(0)};
  EXPECT_EQ(not_covered(run(*subject, std::vector{fails_from("late", 1000)}, options)).size(), 1U);
  EXPECT_TRUE(not_covered(run(*subject, std::vector{fails_from("early", 3)}, options)).empty());
  options.stop = [] { return true; };
  EXPECT_TRUE(not_covered(run(*subject, std::vector{fails_from("late", 1000)}, options)).empty());
}

TEST(Run, CountsClassesOfRelatedCasesWhereAPropertyAsksForThem) {
  const auto subject = first_rank_only();
  Property property = fails_from("pairs", 1000);
  property.related = [](const Premise& premise) { return std::vector<Case>(2, premise.problem); };
  RunOptions options = numbered(3);
  options.classes = {first_row_below(100)};
  options.classes[0].only_related = true;
  const RunResult asked = run(*subject, std::vector{property}, options);
  EXPECT_EQ(asked.coverage[0].judged, 6);
  const RunResult not_asked = run(*subject, std::vector{fails_from("alone", 1000)}, options);
  EXPECT_EQ(not_asked.coverage[0].drawn, 0);
  EXPECT_TRUE(not_covered(not_asked).empty());
}

TEST(Run, KeepsThePowerOfEveryDtypeAndWorldSize) {
  // The gradient of rank 0 where the mean of both is due: right where the rows are equal.
  const auto subject = first_rank_only();
  RunOptions options = numbered(4);
  options.draw = [](int i) {
    if (i % 2 == 0) return *test::case_of({{{{3}}, {{3}}}});
    Case problem = *test::case_of({{{{5}}}});
    problem.dtype = Dtype::f64;
    return problem;
  };
  Property property = fails_from("reference", 1000);
  property.check = [](const Trial& base, std::span<const Trial>) {
    return base.gradient_verdict();
  };
  const RunResult result = run(*subject, std::vector{property}, options);
  ASSERT_FALSE(result.finding) << result.finding->minimal.failure.sentence;
  ASSERT_EQ(result.power.size(), 2U);
  EXPECT_EQ(result.power[0].judged + result.power[1].judged, 4);
  for (const ClassPower& of : result.power) {
    EXPECT_EQ(of.world, of.dtype == Dtype::f64 ? 1 : 2);
    EXPECT_EQ(of.weak, 0);
    EXPECT_GT(of.smallest_error, 0);
    EXPECT_LT(of.smallest_error, of.dtype == Dtype::f64 ? 1e-13 : 1e-5);
  }
}

TEST(Run, EndsEarlyWhenToldTo) {
  const auto subject = first_rank_only();
  RunOptions options = numbered(100);
  int done = 0;
  options.on_progress = [&](int cases, int) { done = cases; };
  options.stop = [&] { return done >= 5; };
  const RunResult result = run(*subject, std::vector{fails_from("never", 1000)}, options);
  EXPECT_TRUE(result.stopped);
  EXPECT_EQ(result.cases, 5);
}

TEST(Run, RefusesACaseOutsideTheClaimByItsNumber) {
  Claim claim;
  claim.max_world = 1;
  const auto subject = with_claim(first_rank_only(), claim);
  try {
    run(*subject, std::vector{fails_from("never", 1000)}, numbered(2));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("case 0"), std::string::npos) << error.what();
  }
}

TEST(CheckCase, JudgesOnePropertyOnOneCase) {
  const auto subject = first_rank_only();
  const SharedCase problem = test::case_of({{{{5}}, {{1}}}});
  int executions = 0;
  EXPECT_TRUE(std::holds_alternative<Failure>(
      check_case(*subject, fails_from("large", 5), problem, {}, executions)));
  EXPECT_TRUE(std::holds_alternative<Consistent>(
      check_case(*subject, fails_from("large", 6), problem, {}, executions)));
  EXPECT_EQ(executions, 2);
}

}  // namespace
}  // namespace shardproof
