#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <memory>
#include <string>

#include "shardproof/case/case.h"
#include "shardproof/case/error.h"

namespace shardproof {
namespace {

/// 2 ranks, 1 step, 2 features; rank 0 has 2 rows, rank 1 a valid row and a padded one.
Case sound_case() {
  const MicroBatch full{.x = {1, 2, 3, 4}, .y = {1, 2}, .mask = {1, 1}, .absent = {}};
  const MicroBatch padded{.x = {1, 2, 3, 4}, .y = {1, 2}, .mask = {1, 0}, .absent = {}};
  Case problem;
  problem.model = {.features = 2, .layers = {{1, true}}, .parameters = {0.5, 1, 2}};
  problem.steps = {Step{{Shard{{full}}, Shard{{padded}}}}};
  problem.mesh.axes.front().size = 2;
  return problem;
}

MicroBatch& first_rows(Case& problem) { return problem.steps[0].shards[0].micro_batches[0]; }
MicroBatch& padded_rows(Case& problem) { return problem.steps[0].shards[1].micro_batches[0]; }

std::string message(const Case& problem) {
  try {
    validate(problem);
  } catch (const InputError& error) {
    return error.what();
  }
  return "valid";
}

std::string message_after(const std::function<void(Case&)>& spoil) {
  Case problem = sound_case();
  spoil(problem);
  return message(problem);
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Validate, AcceptsASoundCase) { EXPECT_EQ(message(sound_case()), "valid"); }

TEST(Validate, AcceptsAnyGarbageInPaddedRows) {
  Case problem = sound_case();
  padded_rows(problem).x[2] = kNan;
  padded_rows(problem).x[3] = -kInfinity;
  padded_rows(problem).y[1] = kNan;
  EXPECT_EQ(message(problem), "valid");
}

TEST(Validate, AcceptsAStepWithoutRows) {
  Case problem = sound_case();
  first_rows(problem) = {};
  padded_rows(problem) = {};
  EXPECT_EQ(message(problem), "valid");
}

TEST(Validate, NamesWhatIsWrongWithTheModel) {
  EXPECT_EQ(message_after([](Case& c) { c.model.features = 0; }),
            "model: features is 0, allowed are 1 to 65536");
  EXPECT_EQ(message_after([](Case& c) { c.model.layers.clear(); }),
            "model: the number of layers is 0, allowed are 1 to 256");
  EXPECT_EQ(message_after([](Case& c) { c.model.layers[0].outputs = -1; }),
            "model.layers[0]: outputs is -1, allowed are 1 to 65536");
  EXPECT_EQ(message_after([](Case& c) {
              c.model.features = 65536;
              c.model.layers[0].outputs = 65536;
            }),
            "model: has 4295032832 parameters, allowed are 16777216");
  EXPECT_EQ(message_after([](Case& c) { c.model.parameters.pop_back(); }),
            "model.parameters: has 2 values, the layers have 3");
  EXPECT_EQ(message_after([](Case& c) { c.model.parameters[1] = kNan; }),
            "model.parameters[1]: is not finite");
  EXPECT_EQ(message_after([](Case& c) { c.model.parameters[1] = 0.1; }),
            "model.parameters[1]: 0.1 is no value of f32");
}

TEST(Validate, NamesWhatIsWrongWithTheWorld) {
  EXPECT_EQ(message_after([](Case& c) { c.mesh.axes.clear(); }),
            "mesh: has to have one axis, `data`");
  EXPECT_EQ(message_after([](Case& c) { c.mesh.axes[0].name = "model"; }),
            "mesh: has to have one axis, `data`");
  EXPECT_EQ(message_after([](Case& c) { c.mesh.axes[0].size = 1000000000; }),
            "mesh.axes[0]: size is 1000000000, allowed are 1 to 64");
  EXPECT_EQ(message_after([](Case& c) { c.mesh.axes[0].size = 3; }),
            "steps[0]: has 2 shards, the mesh has 3 ranks");
  const char* const arrival = "arrival: has to be empty or to name each of the 2 ranks once";
  EXPECT_EQ(message_after([](Case& c) { c.arrival = {0}; }), arrival);
  EXPECT_EQ(message_after([](Case& c) { c.arrival = {1, 1}; }), arrival);
  EXPECT_EQ(message_after([](Case& c) { c.arrival = {1, 2}; }), arrival);
  EXPECT_EQ(message_after([](Case& c) { c.arrival = {1, 0}; }), "valid");
}

TEST(Validate, NamesWhatIsWrongWithTheLearningRate) {
  for (double rate : {0.0, -1.0, kNan, kInfinity}) {
    EXPECT_EQ(message_after([rate](Case& c) { c.learning_rate = rate; }),
              "learning_rate: has to be finite and above 0");
  }
  EXPECT_EQ(message_after([](Case& c) { c.learning_rate = 0.1; }),
            "learning_rate: 0.1 is no value of f32");
}

TEST(Validate, NamesWhatIsWrongWithSteps) {
  EXPECT_EQ(message_after([](Case& c) { c.steps.clear(); }),
            "steps: the number of steps is 0, allowed are 1 to 64");
  EXPECT_EQ(message_after([](Case& c) { c.steps[0].shards[0].micro_batches.clear(); }),
            "steps[0].shards[0]: the number of micro-batches is 0, allowed are 1 to 256");
  EXPECT_EQ(message_after([](Case& c) { c.steps[0].shards[1].micro_batches.push_back({}); }),
            "steps[0].shards[1]: has 2 micro-batches, shards[0] has 1");
}

TEST(Validate, NamesWhatIsWrongWithRows) {
  EXPECT_EQ(message_after([](Case& c) { first_rows(c).mask.push_back(1); }),
            "steps[0].shards[0].micro_batches[0]: mask has 3 entries, x has 2 rows");
  EXPECT_EQ(message_after([](Case& c) { padded_rows(c).y.pop_back(); }),
            "steps[0].shards[1].micro_batches[0]: mask has 2 entries, y has 1 rows");
  EXPECT_EQ(message_after([](Case& c) { first_rows(c).x.pop_back(); }),
            "steps[0].shards[0].micro_batches[0].x: has 3 values, rows have 2");
  EXPECT_EQ(message_after([](Case& c) { first_rows(c).mask[1] = 2; }),
            "steps[0].shards[0].micro_batches[0].mask[1]: is 2, allowed are 0 and 1");
  EXPECT_EQ(message_after([](Case& c) {
              first_rows(c).absent = {0, 1};
            }),
            "steps[0].shards[0].micro_batches[0].absent: has 2 entries, the model has 1 layers");
  EXPECT_EQ(message_after([](Case& c) { first_rows(c).absent = {7}; }),
            "steps[0].shards[0].micro_batches[0].absent[0]: is 7, allowed are 0 and 1");
}

TEST(Validate, NamesTheValueThatMayNotStandInARow) {
  EXPECT_EQ(
      message_after([](Case& c) { first_rows(c).x[3] = kNan; }),
      "steps[0].shards[0].micro_batches[0].x[3]: is not finite, in a row that the mask keeps");
  EXPECT_EQ(
      message_after([](Case& c) { first_rows(c).y[0] = kInfinity; }),
      "steps[0].shards[0].micro_batches[0].y[0]: is not finite, in a row that the mask keeps");
  EXPECT_EQ(message_after([](Case& c) { padded_rows(c).x[2] = 0.1; }),
            "steps[0].shards[1].micro_batches[0].x[2]: 0.1 is no value of f32");
}

TEST(Validate, BoundsTheRowsOfOneMicroBatchAndOfTheWholeCase) {
  EXPECT_EQ(message_after([](Case& c) { first_rows(c).mask.assign((1 << 20) + 1, 1); }),
            "steps[0].shards[0].micro_batches[0]: has 1048577 rows, allowed are 0 to 1048576");
  Case problem = sound_case();
  problem.model = {.features = 8, .layers = {{1, false}}, .parameters = std::vector<double>(8)};
  const std::size_t rows = 1 << 20;
  const MicroBatch big{.x = std::vector<double>(8 * rows),
                       .y = std::vector<double>(rows),
                       .mask = std::vector<std::uint8_t>(rows, 1),
                       .absent = {}};
  problem.steps = {Step{{Shard{{big}}, Shard{{big}}}}};
  EXPECT_EQ(message(problem), "steps: have 18874368 values in all, allowed are 16777216");
}

TEST(Validate, ChecksTheShapeOfGivenContributions) {
  const auto with = [](std::vector<std::vector<std::vector<GivenContributions::Item>>> items) {
    return message_after([&](Case& c) {
      c.given = std::make_shared<const GivenContributions>(GivenContributions{std::move(items)});
    });
  };
  const GivenContributions::Item item{.gradient = {1, 2, 3}, .loss = 1};
  EXPECT_EQ(with({{{item}, {item}}}), "valid");
  EXPECT_EQ(with({}), "steps.given: has 0 entries, needs 1");
  EXPECT_EQ(with({{{item}}}), "steps[0].given: has 1 entries, needs 2");
  EXPECT_EQ(with({{{item}, {}}}), "steps[0].shards[1].given: has 0 entries, needs 1");
  EXPECT_EQ(with({{{item}, {{.gradient = {1}, .loss = 0}}}}),
            "steps[0].shards[1].micro_batches[0].given: the gradient has 1 values, the tree has 3");
}

TEST(CaseEquality, ComparesBits) {
  const Case problem = sound_case();
  EXPECT_TRUE(problem == sound_case());
  Case other = problem;
  padded_rows(other).x[2] = kNan;
  EXPECT_FALSE(other == problem);
  EXPECT_TRUE(other == Case(other));
  Case zero = problem;
  zero.model.parameters[0] = 0.0;
  Case minus_zero = problem;
  minus_zero.model.parameters[0] = -0.0;
  EXPECT_FALSE(zero == minus_zero);
  Case given = problem;
  given.given = std::make_shared<const GivenContributions>();
  EXPECT_FALSE(given == problem);
}

TEST(TreeShape, NamesLeavesByTheirLayerOnlyWhereThereAreSeveral) {
  const SharedShape one = tree_shape({.features = 2, .layers = {{3, true}}, .parameters = {}});
  ASSERT_EQ(one->leaves.size(), 2U);
  EXPECT_EQ(one->leaves[0].name, "kernel");
  EXPECT_EQ(one->leaves[1].name, "bias");
  EXPECT_EQ(one->leaves[1].offset, 6U);
  EXPECT_EQ(one->size, 9U);
  EXPECT_EQ(element_name(*one, 5), "kernel[1,2]");
  EXPECT_EQ(element_name(*one, 8), "bias[2]");
  const SharedShape two =
      tree_shape({.features = 1, .layers = {{1, false}, {2, true}}, .parameters = {}});
  ASSERT_EQ(two->leaves.size(), 3U);
  EXPECT_EQ(two->leaves[0].name, "layer0/kernel");
  EXPECT_EQ(two->leaves[2].name, "layer1/bias");
  EXPECT_EQ(element_name(*two, 1), "layer1/kernel[0,0]");
}

TEST(Tree, RefusesValuesThatDoNotFitItsShape) {
  const SharedShape shape = tree_shape({.features = 2, .layers = {{1, true}}, .parameters = {}});
  EXPECT_THROW(Tree(shape, {1, 2}), InputError);
  Tree tree(shape, {1, 2, 3});
  EXPECT_EQ(tree.leaf(1)[0], 3);
}

TEST(FirstDifference, TakesZerosAndNotNumbersAsEqual) {
  const double a[] = {0.0, kNan, 1, 2};
  const double b[] = {-0.0, -kNan, 1, 3};
  EXPECT_EQ(first_difference(a, b), 3U);
  EXPECT_EQ(first_difference(a, a), 4U);
}

}  // namespace
}  // namespace shardproof
