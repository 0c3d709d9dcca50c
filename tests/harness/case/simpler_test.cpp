#include "shardproof/case/simpler.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "case/simplicity.h"
#include "harness/case/random_case.h"
#include "shardproof/case/condition.h"

namespace shardproof {
namespace {

constexpr unsigned kSeeds = 30;

std::vector<Case> simpler_cases(const Case& problem) {
  std::vector<Case> found;
  for_each_simpler(problem, [&](Case candidate) {
    found.push_back(std::move(candidate));
    return true;
  });
  return found;
}

/// The first simpler case of which `keep` holds, over and over: shrinking with a free subject.
Case shrunk(Case problem, const std::function<bool(const Case&)>& keep, int& tried) {
  bool moved = true;
  while (moved) {
    moved = false;
    std::optional<Case> next;
    for_each_simpler(problem, [&](Case candidate) {
      ++tried;
      if (!keep(candidate)) return true;
      next = std::move(candidate);
      return false;
    });
    if (next) {
      problem = *std::move(next);
      moved = true;
    }
  }
  return problem;
}

TEST(Simpler, CandidatesAreValidAndStrictlySimplerAndKeepTheDtype) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    const Case problem = test::RandomCase(seed, 4).draw();
    validate(problem);
    for (const Case& candidate : simpler_cases(problem)) {
      ASSERT_NO_THROW(validate(candidate)) << "seed " << seed;
      ASSERT_TRUE(is_simpler(candidate, problem)) << "seed " << seed;
      ASSERT_FALSE(is_simpler(problem, candidate)) << "seed " << seed;
      ASSERT_FALSE(candidate == problem) << "seed " << seed;
      ASSERT_EQ(candidate.dtype, problem.dtype);
      ASSERT_EQ(candidate.given, nullptr);
    }
  }
}

TEST(Simpler, NoStepLosesItsLastRowUnlessTheCaseHasSuchAStep) {
  const auto has_empty_step = [](const Case& problem) {
    for (const Step& step : problem.steps) {
      if (step.valid().value == 0) return true;
    }
    return false;
  };
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    Case problem = test::RandomCase(seed, 4).draw();
    for (const Case& candidate : simpler_cases(problem)) ASSERT_FALSE(has_empty_step(candidate));
    for (Shard& shard : problem.steps[0].shards) {
      for (MicroBatch& batch : shard.micro_batches) batch = {};
    }
    int tried = 0;
    const Case smallest = shrunk(problem, has_empty_step, tried);
    EXPECT_EQ(smallest.steps.size(), 1U);
    EXPECT_EQ(smallest.world_size().value, 1);
    EXPECT_EQ(smallest.steps[0].shards[0].micro_batches[0].rows(), 0);
  }
}

TEST(Simpler, IsAStrictWeakOrder) {
  std::vector<Case> cases;
  for (unsigned seed = 0; seed < 20; ++seed) {
    cases.push_back(test::RandomCase(seed, 4).draw(2, 1));
    cases.push_back(simpler_cases(cases.back()).back());
  }
  for (const Case& a : cases) {
    EXPECT_FALSE(is_simpler(a, a));
    for (const Case& b : cases) {
      for (const Case& c : cases) {
        if (is_simpler(a, b) && is_simpler(b, c)) {
          ASSERT_TRUE(is_simpler(a, c));
        }
        // What is neither simpler nor less simple than b is so for both of two equals.
        if (!is_simpler(a, b) && !is_simpler(b, a)) {
          ASSERT_EQ(is_simpler(a, c), is_simpler(b, c));
        }
      }
    }
  }
}

TEST(Simpler, EveryDescentEndsAtTheOneSmallestCase) {
  int most_tried = 0;
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    int tried = 0;
    const Case smallest = shrunk(
        test::RandomCase(seed, 4).draw(), [](const Case&) { return true; }, tried);
    most_tried = std::max(most_tried, tried);
    EXPECT_TRUE(simpler_cases(smallest).empty());
    EXPECT_EQ(smallest.steps.size(), 1U);
    EXPECT_EQ(smallest.world_size().value, 1);
    EXPECT_EQ(smallest.model.layers, (std::vector<Layer>{{1, false}}));
    const MicroBatch& rows = smallest.steps[0].shards[0].micro_batches[0];
    EXPECT_EQ(rows.rows(), 1);
    EXPECT_EQ(rows.x[0], 0);
    EXPECT_EQ(rows.y[0], 0);
  }
  EXPECT_LE(most_tried, 10);
}

/// What a mistake may depend on: shrinking keeps it, and takes away all else.
struct Trigger {
  const char* name;
  std::function<bool(const Case&)> holds;
  std::size_t forms = 1;  ///< different smallest cases, over all starts
};

int rows_of(const Case& problem) {
  int rows = 0;
  for (const Step& step : problem.steps) {
    for (const Shard& shard : step.shards) {
      for (const MicroBatch& batch : shard.micro_batches) rows += batch.rows();
    }
  }
  return rows;
}

bool any_value(const Case& problem, const std::function<bool(double)>& holds) {
  for (const Shard& shard : problem.steps[0].shards) {
    for (const MicroBatch& batch : shard.micro_batches) {
      if (std::any_of(batch.x.begin(), batch.x.end(), holds)) return true;
    }
  }
  return false;
}

const std::vector<Trigger>& triggers() {
  static const std::vector<Trigger> all{
      {"3 ranks", [](const Case& c) { return c.world_size().value >= 3; }},
      {"3 steps", [](const Case& c) { return c.steps.size() >= 3; }},
      {"2 micro-batches in the last step",
       [](const Case& c) { return c.steps.back().micro_batches() >= 2; }},
      {"2 layers", [](const Case& c) { return c.model.layers.size() >= 2; }},
      {"a bias in the last layer", [](const Case& c) { return c.model.layers.back().bias; }},
      {"3 features", [](const Case& c) { return c.model.features >= 3; }},
      // One layer of 4 or two of 2: no step makes one layer of two.
      {"4 outputs", [](const Case& c) { return c.model.outputs() >= 4; }, 2},
      {"5 rows", [](const Case& c) { return rows_of(c) >= 5; }},
      {"padding", [](const Case& c) { return conditions(c).contains(Condition::padded); }},
      {"unequal", [](const Case& c) { return conditions(c).contains(Condition::unequal); }},
      {"an empty rank", [](const Case& c) { return conditions(c).contains(Condition::empty); }},
      {"an absent layer",
       [](const Case& c) {
         for (const Shard& shard : c.steps[0].shards) {
           for (int l = 0; l < static_cast<int>(c.model.layers.size()); ++l) {
             if (shard.micro_batches[0].is_absent(l)) return true;
           }
         }
         return false;
       }},
      {"a rank that arrives before rank 0",
       [](const Case& c) { return !c.arrival.empty() && c.arrival[0] != 0; }},
      {"a parameter above 0.1", [](const Case& c) { return c.model.parameters[0] > 0.1; }},
      {"a negative x", [](const Case& c) { return any_value(c, [](double x) { return x < 0; }); }},
      {"an x above 100",
       [](const Case& c) { return any_value(c, [](double x) { return x > 100; }); }},
      {"NaN", [](const Case& c) { return any_value(c, [](double x) { return x != x; }); }},
  };
  return all;
}

TEST(Simpler, KeepsWhatAMistakeDependsOnAndEndsInOneForm) {
  for (const Trigger& trigger : triggers()) {
    std::vector<Case> forms;
    for (unsigned seed = 0; seed < kSeeds; ++seed) {
      const Case start = test::RandomCase(seed, 4).draw();
      if (!trigger.holds(start)) continue;
      int tried = 0;
      Case smallest = shrunk(start, trigger.holds, tried);
      EXPECT_TRUE(trigger.holds(smallest)) << trigger.name;
      smallest.dtype = Dtype::f64;
      const auto same = [&](const Case& form) {
        return !is_simpler(form, smallest) && !is_simpler(smallest, form);
      };
      if (std::none_of(forms.begin(), forms.end(), same)) forms.push_back(smallest);
    }
    EXPECT_EQ(forms.size(), trigger.forms) << trigger.name;
  }
}

TEST(Simpler, DropsContributionsThatWereGiven) {
  Case problem = test::RandomCase(1).draw();
  const Case computed = problem;
  problem.given = std::make_shared<const GivenContributions>();
  const std::vector<Case> found = simpler_cases(problem);
  ASSERT_FALSE(found.empty());
  EXPECT_TRUE(found.back() == computed);
}

TEST(Simpler, CopesWithTheLargestWorldAndManyRows) {
  const Case problem = test::RandomCase(3).draw(1, 1);
  Case large = problem;
  large.arrival.clear();
  large.mesh.axes.front().size = kMaxWorldSize;
  MicroBatch batch = problem.steps[0].shards[0].micro_batches[0];
  batch.absent.clear();
  batch.mask.assign(1000, 1);
  batch.x.assign(1000 * static_cast<std::size_t>(problem.model.features), 3.25);
  batch.y.assign(1000 * static_cast<std::size_t>(problem.model.outputs()), -1.5);
  large.steps = {Step{std::vector<Shard>(kMaxWorldSize, Shard{{batch}})}};
  validate(large);
  int tried = 0;
  const auto big_world = [](const Case& c) { return c.world_size().value >= 40; };
  const Case smallest = shrunk(large, big_world, tried);
  EXPECT_EQ(smallest.world_size().value, 40);
  EXPECT_EQ(rows_of(smallest), 1);
  EXPECT_LE(tried, 2000);
}

TEST(ValueRank, OrdersValuesAsDocumented) {
  const std::vector<double> simplest_first{0,
                                           1,
                                           -0.0,
                                           -1,
                                           2,
                                           -2,
                                           3,
                                           100,
                                           -1000,
                                           0.5,
                                           -0.5,
                                           0.25,
                                           0.75,
                                           1.25,
                                           0.1,
                                           -std::numeric_limits<double>::infinity(),
                                           std::numeric_limits<double>::quiet_NaN()};
  for (std::size_t i = 0; i + 1 < simplest_first.size(); ++i) {
    EXPECT_LT(value_rank(simplest_first[i]), value_rank(simplest_first[i + 1])) << i;
  }
}

}  // namespace
}  // namespace shardproof
