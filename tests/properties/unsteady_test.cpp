// Subjects that change their answer on the same case: what they are called, and how they shrink.

#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "shardproof/properties/registry.h"
#include "shardproof/properties/suite.h"
#include "shardproof/run/report.h"
#include "shardproof/subject/builtin.h"

namespace shardproof {
namespace {

/// Changes what the ranks returned, knowing how often the subject ran before.
using Change = std::function<void(int run, const Case& problem, Returned& returned)>;

/// A right reducer whose results are changed now and then.
class ChangedSubject final : public Subject {
 public:
  ChangedSubject(Claim claim, Change change)
      : right_(with_claim(make_builtin("sequential"), claim)), change_(std::move(change)) {}

  [[nodiscard]] const std::string& name() const override { return right_->name(); }
  [[nodiscard]] SubjectKind kind() const override { return right_->kind(); }
  [[nodiscard]] const Claim& claim() const override { return right_->claim(); }
  Outcome run(const SharedCase& problem, const Limits& limits) override {
    Outcome outcome = right_->run(problem, limits);
    if (auto* returned = std::get_if<Returned>(&outcome)) change_(runs_, *problem, *returned);
    ++runs_;
    return outcome;
  }

 private:
  std::unique_ptr<Subject> right_;
  Change change_;
  int runs_ = 0;
};

/// The first value that is not zero, on every rank of the first step.
void change_first_value(Returned& returned, const std::function<double(double)>& changed) {
  for (RankResult& rank : returned.results.front()) {
    rank.norm.reset();
    for (double& value : rank.gradient.values()) {
      if (value == 0) continue;
      value = changed(value);
      break;
    }
  }
}

/// One unit in the last place: far inside the bound of the default claim.
void nudge(const Case& problem, Returned& returned) {
  change_first_value(returned, [&](double value) { return next_up(problem.dtype, value); });
}
void spoil(Returned& returned) {
  change_first_value(returned, [](double value) { return 2 * value; });
}

Claim claim_of(bool order_fixed) {
  Claim claim;
  claim.order_fixed = order_fixed;
  return claim;
}

RunResult checked(Subject& subject, const char* properties = "*") {
  CheckOptions options;
  options.properties = matching_properties(properties);
  options.run.cases = 120;
  return check(subject, std::move(options));
}

std::string report(const Subject& subject, const RunResult& result) {
  return text_report({.subject = subject.name(), .claim = subject.claim()}, result);
}

bool has(const std::string& text, std::string_view what) {
  return text.find(what) != std::string::npos;
}

Change random_nudge() {
  return [random = std::mt19937(5)](int, const Case& problem, Returned& returned) mutable {
    if (random() % 2 == 0) nudge(problem, returned);
  };
}

TEST(UnsteadySubject, ThatClaimsToRepeatFailsWithHowManyRunsDiffered) {
  ChangedSubject subject(claim_of(true), random_nudge());
  const RunResult result = checked(subject);
  ASSERT_TRUE(result.finding);
  EXPECT_EQ(result.finding->property, "repeatable");
  EXPECT_EQ(result.finding->minimal.failure.kind, FailureKind::unsteady);
  const std::string& sentence = result.finding->minimal.failure.sentence;
  EXPECT_TRUE(has(sentence, " of 6 runs")) << sentence;
  EXPECT_TRUE(has(sentence, "differed from the first")) << sentence;
}

TEST(UnsteadySubject, ThatClaimsNoOrderIsJudgedByTheBoundAlone) {
  ChangedSubject subject(claim_of(false), random_nudge());
  const RunResult result = checked(subject);
  EXPECT_FALSE(result.finding) << report(subject, result);
}

TEST(UnsteadySubject, ThatDependsOnTheOrderOfArrivalIsToldWithTheOrder) {
  // Its sum begins with whoever comes first; one order in two of two ranks, one in six of three.
  const Change last_first = [](int, const Case& problem, Returned& returned) {
    const int last = problem.world_size().value - 1;
    if (last > 0 && !problem.arrival.empty() && problem.arrival.front() == last) {
      nudge(problem, returned);
    }
  };
  ChangedSubject fixed(claim_of(true), last_first);
  const RunResult result = checked(fixed);
  ASSERT_TRUE(result.finding);
  EXPECT_EQ(result.finding->property, "repeatable");
  const std::string text = report(fixed, result);
  EXPECT_TRUE(has(text, "6 of 6 runs with the ranks arriving in the order 1 0 differed")) << text;
  EXPECT_FALSE(has(text, "unsteady:")) << "it fails on the same case every time\n" << text;
  EXPECT_EQ(result.finding->minimal.problem->world_size().value, 2);
  ChangedSubject open(claim_of(false), last_first);
  EXPECT_FALSE(checked(open).finding);
}

TEST(UnsteadySubject, ThatIsWrongInEveryThirdTrialIsRefutedAndSaidToBeUnsteady) {
  ChangedSubject subject(claim_of(false), [](int run, const Case&, Returned& returned) {
    if (run % 3 == 2) spoil(returned);
  });
  const RunResult result = checked(subject, "matches_reference");
  ASSERT_TRUE(result.finding);
  EXPECT_EQ(result.finding->repeats.runs, 6);
  EXPECT_EQ(result.finding->repeats.shown, 2);
  // No case fails in most of five executions, so that no other than the one found may stand here.
  EXPECT_EQ(result.finding->minimal.problem, result.finding->found.problem);
  const std::string text = report(subject, result);
  EXPECT_TRUE(has(text, "unsteady: on the case that was found it showed in 2 of 6 runs")) << text;
}

TEST(UnsteadySubject, ThatIsWrongOnceIsReportedAsNeverShownAgain) {
  ChangedSubject subject(claim_of(false), [](int run, const Case&, Returned& returned) {
    if (run == 4) spoil(returned);
  });
  const RunResult result = checked(subject, "matches_reference");
  ASSERT_TRUE(result.finding);
  EXPECT_EQ(result.finding->repeats.shown, 1);
  EXPECT_TRUE(has(report(subject, result), "1 of 6 runs, and never again"));
}

TEST(UnsteadySubject, ThatIsMostlyWrongShrinksByMajority) {
  ChangedSubject subject(claim_of(false), [](int run, const Case&, Returned& returned) {
    if (run % 4 != 3) spoil(returned);
  });
  const RunResult result = checked(subject, "matches_reference");
  ASSERT_TRUE(result.finding);
  EXPECT_LT(result.finding->repeats.shown, 6);
  const Case& minimal = *result.finding->minimal.problem;
  EXPECT_EQ(minimal.world_size().value, 1);
  EXPECT_EQ(minimal.steps.size(), 1U);
  EXPECT_EQ(minimal.steps[0].valid().value, 1);
}

TEST(UnsteadySubject, ThatIsSteadyAfterAllIsNotCalledSo) {
  const std::unique_ptr<Subject> psum = make_builtin("psum");
  const RunResult result = checked(*psum);
  ASSERT_TRUE(result.finding);
  EXPECT_TRUE(result.finding->repeats.steady());
  EXPECT_EQ(result.finding->repeats.runs, 6);
  EXPECT_FALSE(has(report(*psum, result), "unsteady"));
}

}  // namespace
}  // namespace shardproof
