#include <gtest/gtest.h>

#include <vector>

#include "generators/conformance.h"
#include "shardproof/case/error.h"
#include "shardproof/case/simpler.h"
#include "shardproof/generators/arbitrary.h"
#include "shardproof/generators/shrinking.h"

namespace shardproof {
namespace {

std::optional<std::string> outside(const Claim& claim, const DrawOptions& options,
                                   const Case& problem) {
  try {
    validate(problem);
  } catch (const InputError& error) {
    return error.what();
  }
  const int world = problem.world_size().value;
  if (world < options.min_world || world > options.max_world) return "world";
  if (!options.conditions.contains_all(conditions(problem))) return "conditions";
  for (const Step& step : problem.steps) {
    if (step.valid().value == 0) return "a step without a valid row";
  }
  return excluded_by(claim, problem);
}

void expect_cases_conform(const Claim& claim, const DrawOptions& options, int draws) {
  expect_conforms<Case>(
      {.name = "cases",
       .generator = arbitrary_case(claim, SubjectKind::reducer, options),
       .objection = [=](const Case& problem) { return outside(claim, options, problem); },
       .is_simpler = [](const Case& a, const Case& b) { return is_simpler(a, b); },
       .draws = draws,
       .simpler_each = 60});
}

TEST(ArbitraryCases, Conform) { expect_cases_conform({}, {}, 25); }

TEST(ArbitraryCases, ConformToNarrowClaimsAndOptions) {
  Claim padded;
  padded.conditions = {Condition::padded};
  expect_cases_conform(padded, {}, 8);
  Claim equal_on_three;
  equal_on_three.conditions = {Condition::equal};
  equal_on_three.min_world = equal_on_three.max_world = 3;
  expect_cases_conform(equal_on_three, {}, 8);
  DrawOptions empty;
  empty.conditions = {Condition::empty};
  empty.min_world = 2;
  expect_cases_conform({}, empty, 8);
}

TEST(ArbitraryCases, AreRefusedBeforeAnyIsDrawn) {
  DrawOptions options;
  options.min_world = 65;
  options.max_world = 65;
  EXPECT_THROW(arbitrary_case({}, SubjectKind::reducer, options), InputError);
}

TEST(Shrinking, GivesTheSimplerValuesInTheirOrderWhateverTheirNumber) {
  for (const int number : {0, 1, 7, 8, 9, 16, 17, 40}) {
    int visited = 0;
    const rc::Gen<int> numbers =
        generator<int>([=](Source&, int) { return number; },
                       [&visited](const int& value, const std::function<bool(int)>& visit) {
                         for (int simpler = 0; simpler < value; ++simpler) {
                           ++visited;
                           if (!visit(simpler)) return;
                         }
                       });
    rc::Seq<rc::Shrinkable<int>> simpler = numbers(rc::Random(), 0).shrinks();
    for (int i = 0; i < number; ++i) EXPECT_EQ(simpler.next()->value(), i);
    EXPECT_FALSE(simpler.next());
    EXPECT_LE(visited, 3 * number + 8);
  }
}

TEST(Shrinking, MakesNoMoreThanAFewValuesForTheFirst) {
  int visited = 0;
  const rc::Gen<int> numbers =
      generator<int>([](Source&, int) { return 1000; },
                     [&visited](const int& value, const std::function<bool(int)>& visit) {
                       for (int simpler = 0; simpler < value; ++simpler) {
                         ++visited;
                         if (!visit(simpler)) return;
                       }
                     });
  const rc::Shrinkable<int> drawn = numbers(rc::Random(), 0);
  EXPECT_EQ(visited, 0);
  EXPECT_EQ(drawn.shrinks().next()->value(), 0);
  EXPECT_LE(visited, 8);
}

}  // namespace
}  // namespace shardproof
