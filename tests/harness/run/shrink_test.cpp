#include "shardproof/run/shrink.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/case/random_case.h"
#include "shardproof/case/claim.h"
#include "shardproof/case/simpler.h"

namespace shardproof {
namespace {

/// Returns nothing of interest, and counts how often.
class CountingSubject : public Subject {
 public:
  explicit CountingSubject(Claim claim = {}) : claim_(claim) {}

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] SubjectKind kind() const override { return SubjectKind::reducer; }
  [[nodiscard]] const Claim& claim() const override { return claim_; }
  [[nodiscard]] bool usable() const override { return runs_ < lives_; }

  Outcome run(const SharedCase& problem, const Limits&) override {
    ++runs_;
    EXPECT_EQ(excluded_by(claim_, *problem), std::nullopt);
    EXPECT_NO_THROW(validate(*problem));
    return Returned{};
  }

  [[nodiscard]] int runs() const { return runs_; }
  void stuck_after(int runs) { lives_ = runs; }

 private:
  std::string name_ = "counting";
  Claim claim_;
  int runs_ = 0;
  int lives_ = 1 << 30;
};

using Broken = std::function<std::optional<FailureKind>(const Case&)>;

/// A property that is broken on the cases that `broken` says.
Property broken_where(Broken broken) {
  return {.name = "fake",
          .statement = "",
          .kind = PropertyKind::law,
          .excluded = {},
          .related = {},
          .check = [broken](const Trial& trial, std::span<const Trial>) -> Verdict {
            const std::optional<FailureKind> kind = broken(*trial.problem);
            if (!kind) return Consistent{};
            Failure failure;
            failure.kind = *kind;
            return failure;
          }};
}

Sighting sighting_of(Case problem, FailureKind kind = FailureKind::wrong_gradient) {
  Sighting sighting;
  sighting.problem = std::make_shared<const Case>(std::move(problem));
  sighting.failure.kind = kind;
  return sighting;
}

std::optional<FailureKind> wrong_if(bool wrong) {
  return wrong ? std::optional(FailureKind::wrong_gradient) : std::nullopt;
}

Case case_with_ranks(int least) {
  for (unsigned seed = 0;; ++seed) {
    Case problem = test::RandomCase(seed).draw(16, 3);
    if (problem.world_size().value >= least) return problem;
  }
}

constexpr int kBudget = 2000;

TEST(Shrink, EndsWhereNoSimplerCaseFails) {
  const auto broken = [](const Case& c) { return c.world_size().value >= 5; };
  const Property property = broken_where([&](const Case& c) { return wrong_if(broken(c)); });
  CountingSubject subject;
  const Shrunk shrunk =
      shrink(subject, property, sighting_of(case_with_ranks(7)), {.budget = kBudget});
  EXPECT_TRUE(shrunk.complete);
  EXPECT_EQ(shrunk.executions, subject.runs());
  const Case& minimal = *shrunk.minimal.problem;
  EXPECT_EQ(minimal.world_size().value, 5);
  for_each_simpler(minimal, [&](const Case& candidate) {
    EXPECT_FALSE(broken(candidate));
    return true;
  });
}

TEST(Shrink, StaysInsideTheClaim) {
  // The subject itself checks that it is handed nothing else.
  CountingSubject subject({.conditions = {Condition::unequal}, .min_world = 2});
  const Property property = broken_where([](const Case&) { return wrong_if(true); });
  Case start;
  start.model = {.features = 2, .layers = {{1, true}}, .parameters = {1, 2, 3}};
  const MicroBatch one{.x = {1, 2}, .y = {5}, .mask = {1}, .absent = {}};
  const MicroBatch two{.x = {1, 2, 3, 4}, .y = {5, 6}, .mask = {1, 1}, .absent = {}};
  start.steps = {Step{{Shard{{one}}, Shard{{two}}, Shard{{two}}}}};
  start.mesh.axes.front().size = 3;
  const Shrunk shrunk = shrink(subject, property, sighting_of(start), {.budget = kBudget});
  EXPECT_TRUE(shrunk.complete);
  EXPECT_EQ(shrunk.minimal.problem->world_size().value, 2);
  EXPECT_EQ(conditions(*shrunk.minimal.problem), ConditionSet{Condition::unequal});
  EXPECT_EQ(shrunk.minimal.problem->steps[0].valid(), ValidCount{3});
}

TEST(Shrink, GoesOnlyWhereItIsAdmitted) {
  const Property property = broken_where([](const Case&) { return wrong_if(true); });
  CountingSubject subject;
  const Shrunk shrunk = shrink(
      subject, property, sighting_of(case_with_ranks(4)),
      {.budget = kBudget, .admits = [](const Case& c) { return c.world_size().value >= 4; }});
  EXPECT_TRUE(shrunk.complete);
  EXPECT_EQ(shrunk.minimal.problem->world_size().value, 4);
}

TEST(Shrink, KeepsTheKindOfFailure) {
  // Small cases are declined: another failure, which may not take the place of the first.
  const Property property = broken_where([](const Case& c) {
    return c.world_size().value >= 3 ? FailureKind::wrong_gradient : FailureKind::declined;
  });
  CountingSubject subject;
  const Shrunk shrunk =
      shrink(subject, property, sighting_of(case_with_ranks(4)), {.budget = kBudget});
  EXPECT_EQ(shrunk.minimal.failure.kind, FailureKind::wrong_gradient);
  EXPECT_EQ(shrunk.minimal.problem->world_size().value, 3);
}

TEST(Shrink, NeverExecutesACaseTwice) {
  std::vector<Case> seen;
  const Property property = broken_where([&](const Case& c) {
    EXPECT_TRUE(std::none_of(seen.begin(), seen.end(), [&](const Case& s) { return s == c; }));
    seen.push_back(c);
    return wrong_if(c.world_size().value >= 3 && c.model.features >= 2);
  });
  CountingSubject subject;
  (void)shrink(subject, property, sighting_of(case_with_ranks(4)), {.budget = kBudget});
  EXPECT_GT(seen.size(), 10U);
}

TEST(Shrink, SpendsNoMoreThanItsBudget) {
  const Property property =
      broken_where([](const Case& c) { return wrong_if(c.world_size().value >= 3); });
  CountingSubject subject;
  const Sighting start = sighting_of(case_with_ranks(4));
  const Shrunk none = shrink(subject, property, start, {.budget = 0});
  EXPECT_EQ(subject.runs(), 0);
  EXPECT_FALSE(none.complete);
  EXPECT_EQ(none.minimal.problem, start.problem);
  const Shrunk some = shrink(subject, property, start, {.budget = 5});
  EXPECT_EQ(some.executions, 5);
  EXPECT_FALSE(some.complete);
}

TEST(Shrink, StopsWhenToldOrWhenTheSubjectIsNoLongerUsable) {
  const Property property = broken_where([](const Case&) { return wrong_if(false); });
  const Sighting start = sighting_of(case_with_ranks(4));
  CountingSubject asked;
  const Shrunk stopped = shrink(asked, property, start,
                                {.budget = kBudget, .stop = [&] { return asked.runs() >= 3; }});
  EXPECT_EQ(stopped.executions, 3);
  EXPECT_FALSE(stopped.complete);
  CountingSubject stuck;
  stuck.stuck_after(2);
  const Shrunk abandoned = shrink(stuck, property, start, {.budget = kBudget});
  EXPECT_EQ(abandoned.executions, 2);
  EXPECT_FALSE(abandoned.complete);
}

}  // namespace
}  // namespace shardproof
