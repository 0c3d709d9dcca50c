#include "shardproof/case/small_cases.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "shardproof/case/simpler.h"

namespace shardproof {
namespace {

/// A row of one kernel: x and y, or padding.
MicroBatch row(double x, double y, bool valid = true) {
  return {.x = {x}, .y = {y}, .mask = {valid ? std::uint8_t{1} : std::uint8_t{0}}, .absent = {}};
}

Case ranks(std::vector<MicroBatch> rows) {
  Case problem;
  problem.model = {.features = 1, .layers = {{1, false}}, .parameters = {0}};
  problem.learning_rate = 0.25;
  problem.mesh.axes.front().size = static_cast<int>(rows.size());
  Step step;
  for (MicroBatch& of_rank : rows) step.shards.push_back({{std::move(of_rank)}});
  problem.steps = {step};
  return problem;
}

std::vector<Case> all(const SmallDomain& domain, const Case& bound) {
  std::vector<Case> cases;
  for_each_small_case(domain, bound, [&](const Case& problem) {
    cases.push_back(problem);
    return true;
  });
  return cases;
}

constexpr SmallDomain kTiny{.steps = 1, .ranks = 1, .micro_batches = 1, .rows = 1, .leaves = 1};

TEST(SmallCases, AreAllThatAreSimpler) {
  // One rank with one row of one kernel: parameter, x and y. The bound is the largest of them.
  const Case bound = [] {
    Case problem = ranks({row(-1, -1)});
    problem.model.parameters = {-1};
    return problem;
  }();
  EXPECT_EQ(all(kTiny, bound).size(), 26U);
  EXPECT_EQ(all(kTiny, ranks({row(0, 0)})).size(), 0U);
  // Parameter 0 and of the row 0 0, then one value 1: x or y, and of those that which stands first.
  EXPECT_EQ(all(kTiny, ranks({row(1, 1)})).size(), 5U);
}

TEST(SmallCases, AreValidDifferentAndSimplerThanTheBound) {
  const Case bound = ranks({row(1, 1), row(0, 0)});
  const std::vector<Case> cases = all({.steps = 1, .micro_batches = 1, .leaves = 1}, bound);
  EXPECT_GT(cases.size(), 1000U);
  for (const Case& problem : cases) {
    ASSERT_NO_THROW(validate(problem));
    ASSERT_TRUE(is_simpler(problem, bound));
    ASSERT_EQ(problem.dtype, bound.dtype);
  }
  // Cases of equal simplicity are few, so that neighbours in order are enough to look at.
  std::vector<Case> sorted = cases;
  std::stable_sort(sorted.begin(), sorted.end(), is_simpler);
  for (std::size_t i = 1; i < sorted.size(); ++i) ASSERT_FALSE(sorted[i - 1] == sorted[i]);
}

bool plain(const std::vector<double>& values) {
  return std::ranges::all_of(values, [](double v) { return v == 0 || v == 1 || v == -1; });
}

/// Whether a case of one step is one of the domain below.
bool in_domain(const Case& problem) {
  int rows = 0;
  for (const Shard& shard : problem.steps[0].shards) {
    for (const MicroBatch& batch : shard.micro_batches) {
      rows += batch.rows();
      if (!plain(batch.x) || !plain(batch.y) || !batch.absent.empty()) return false;
    }
  }
  return rows <= 2 && problem.steps[0].micro_batches() == 1 && plain(problem.model.parameters);
}

TEST(SmallCases, HoldEveryCandidateOfShrinkingThatLiesInTheDomain) {
  Case bound = ranks({row(1, 1), row(-1, 1), row(0, 1, false)});
  bound.model = {.features = 1, .layers = {{1, true}}, .parameters = {1, -1}};
  std::vector<Case> offered;
  for_each_simpler(bound, [&](Case candidate) {
    if (in_domain(candidate)) offered.push_back(std::move(candidate));
    return true;
  });
  EXPECT_GT(offered.size(), 10U);
  for_each_small_case({.steps = 1, .micro_batches = 1}, bound, [&](const Case& problem) {
    std::erase(offered, problem);
    return !offered.empty();
  });
  EXPECT_TRUE(offered.empty()) << offered.size();
}

TEST(SmallCases, HoldEveryArrivalWhereAsked) {
  Case bound = ranks({row(0, 0), row(0, 0), row(0, 0)});
  bound.arrival = {2, 1, 0};
  SmallDomain domain = kTiny;
  domain.ranks = 3;
  domain.arrivals = true;
  const std::vector<Case> cases = all(domain, bound);
  for (const std::vector<int>& order : {std::vector<int>{0, 1, 2}, {2, 0, 1}}) {
    EXPECT_TRUE(std::ranges::any_of(cases, [&](const Case& c) { return c.arrival == order; }));
  }
}

}  // namespace
}  // namespace shardproof
