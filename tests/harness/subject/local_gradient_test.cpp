#include "shardproof/subject/local_gradient.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace shardproof {
namespace {

std::vector<double> drawn(std::mt19937& random, std::size_t count, Dtype dtype) {
  std::normal_distribution<double> normal;
  std::vector<double> values(count);
  for (double& value : values) value = round_to(dtype, normal(random));
  return values;
}

struct Problem {
  Model model;
  SharedShape shape;
  MicroBatch rows;
};

Problem problem(std::mt19937& random, int features, std::vector<Layer> layers, int rows,
                Dtype dtype) {
  Problem made;
  made.model = {.features = features, .layers = std::move(layers), .parameters = {}};
  made.shape = tree_shape(made.model);
  made.model.parameters = drawn(random, made.shape->size, dtype);
  made.rows.x = drawn(random, static_cast<std::size_t>(rows * features), dtype);
  made.rows.y = drawn(random, static_cast<std::size_t>(rows * made.model.outputs()), dtype);
  made.rows.mask.assign(static_cast<std::size_t>(rows), 1);
  return made;
}

LocalGradient gradient_of(const Problem& p, Dtype dtype, double denominator) {
  return local_gradient(p.model, p.shape, p.model.parameters, p.rows, local_dtypes(dtype, dtype),
                        denominator);
}

/// The same rows with padding full of NaN before, among and after them.
MicroBatch padded(const MicroBatch& rows, int features, int outputs) {
  MicroBatch with;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto pad = [&] {
    with.x.insert(with.x.end(), static_cast<std::size_t>(features), nan);
    with.y.insert(with.y.end(), static_cast<std::size_t>(outputs), nan);
    with.mask.push_back(0);
  };
  for (int i = 0; i < rows.rows(); ++i) {
    if (i % 2 == 0) pad();
    with.x.insert(with.x.end(), rows.x.begin() + i * features, rows.x.begin() + (i + 1) * features);
    with.y.insert(with.y.end(), rows.y.begin() + i * outputs, rows.y.begin() + (i + 1) * outputs);
    with.mask.push_back(1);
  }
  for (int i = 0; i < 5; ++i) pad();
  return with;
}

TEST(LocalGradient, IsTheGradientOfTheMeanSquaredResidual) {
  // One row x = 3, w = 2, b = 1, y = 4: residual 3, loss 9, gradient 2 * 3 * (3, 1).
  Problem p;
  p.model = {.features = 1, .layers = {{.outputs = 1, .bias = true}}, .parameters = {2, 1}};
  p.shape = tree_shape(p.model);
  p.rows = {.x = {3}, .y = {4}, .mask = {1}, .absent = {}};
  const LocalGradient local = gradient_of(p, Dtype::f32, 1);
  EXPECT_EQ(local.gradient.values()[0], 18);
  EXPECT_EQ(local.gradient.values()[1], 6);
  EXPECT_EQ(local.loss, 9);
}

TEST(LocalGradient, AgreesWithPlainSumsInDoubleWithinTheRoundingOfItsDtype) {
  std::mt19937 random(1);
  for (Dtype dtype : {Dtype::f32, Dtype::f64}) {
    for (int rows : {1, 6, 70}) {
      const Problem p = problem(random, 5, {{.outputs = 3, .bias = true}, {2, false}}, rows, dtype);
      const LocalGradient local = gradient_of(p, dtype, rows);
      double loss = 0;
      std::vector<double> expected(p.shape->size, 0.0);
      const auto parameter = [&](std::size_t at) { return p.model.parameters[at]; };
      for (int i = 0; i < rows; ++i) {
        for (std::size_t k = 0; k < 5; ++k) {
          const bool second = k >= 3;
          const auto at = [&](std::size_t d) { return second ? 18 + 2 * d + k - 3 : 3 * d + k; };
          double residual =
              (second ? 0 : parameter(15 + k)) - p.rows.y[static_cast<std::size_t>(i) * 5 + k];
          for (std::size_t d = 0; d < 5; ++d) {
            residual += p.rows.x[static_cast<std::size_t>(i) * 5 + d] * parameter(at(d));
          }
          loss += residual * residual;
          for (std::size_t d = 0; d < 5; ++d) {
            expected[at(d)] += p.rows.x[static_cast<std::size_t>(i) * 5 + d] * residual;
          }
          if (!second) expected[15 + k] += residual;
        }
      }
      const double scale = 1.0 / (rows * 5);
      const double slack = 100 * (rows + 7) * format(dtype).unit_roundoff;
      for (std::size_t e = 0; e < expected.size(); ++e) {
        EXPECT_NEAR(local.gradient.values()[e], 2 * scale * expected[e], slack);
      }
      EXPECT_NEAR(local.loss, scale * loss, slack * (1 + scale * loss));
    }
  }
}

TEST(LocalGradient, IsRepresentableInItsDtype) {
  std::mt19937 random(2);
  const Problem p = problem(random, 4, {{.outputs = 3, .bias = true}}, 6, Dtype::f32);
  const LocalGradient local = gradient_of(p, Dtype::f32, 7);
  for (double value : local.gradient.values()) EXPECT_TRUE(representable(Dtype::f32, value));
  EXPECT_TRUE(representable(Dtype::f32, local.loss));
}

TEST(LocalGradient, PaddedRowsAmongTheOthersDoNotChangeABit) {
  std::mt19937 random(3);
  for (int draw = 0; draw < 500; ++draw) {
    const Dtype dtype = draw % 2 == 0 ? Dtype::f32 : Dtype::f64;
    Problem p = problem(random, 1 + draw % 5, {{.outputs = 1 + draw % 4, .bias = true}},
                        1 + draw % 23, dtype);
    const LocalGradient plain = gradient_of(p, dtype, p.rows.rows());
    p.rows = padded(p.rows, p.model.features, p.model.outputs());
    const LocalGradient with = gradient_of(p, dtype, static_cast<double>(p.rows.valid().value));
    ASSERT_EQ(first_difference(plain.gradient.values(), with.gradient.values()), p.shape->size);
    ASSERT_EQ(plain.loss, with.loss);
  }
}

TEST(LocalGradient, EqualRowsGiveEqualBitsWhateverWasComputedBefore) {
  std::mt19937 random(4);
  const Problem p = problem(random, 4, {{.outputs = 3, .bias = true}}, 6, Dtype::f32);
  const LocalGradient first = gradient_of(p, Dtype::f32, 6);
  for (int draw = 0; draw < 100; ++draw) {
    const Problem other = problem(random, 1 + draw % 9, {{.outputs = 1 + draw % 7, .bias = true}},
                                  1 + draw, Dtype::f32);
    gradient_of(other, Dtype::f32, 1);
    const LocalGradient again = gradient_of(p, Dtype::f32, 6);
    ASSERT_EQ(first_difference(first.gradient.values(), again.gradient.values()), p.shape->size);
    ASSERT_EQ(first.loss, again.loss);
  }
}

TEST(LocalGradient, AnAbsentLayerGivesZerosAndKeepsTheDivisor) {
  std::mt19937 random(5);
  Problem p = problem(random, 2, {{.outputs = 1, .bias = true}, {1, true}}, 3, Dtype::f64);
  const LocalGradient both = gradient_of(p, Dtype::f64, 3);
  p.rows.absent = {0, 1};
  const LocalGradient one = gradient_of(p, Dtype::f64, 3);
  for (std::size_t e = 0; e < 3; ++e) {
    EXPECT_EQ(one.gradient.values()[e], both.gradient.values()[e]);
    EXPECT_EQ(one.gradient.values()[3 + e], 0);
  }
  EXPECT_LT(one.loss, both.loss);
}

TEST(LocalGradient, DividesTwiceWhereTheDivisorIsNoValueOfTheDtype) {
  // 2^24 + 1 rows times 3 outputs, over 2, is no f32; both factors are.
  Problem p;
  p.model = {.features = 1, .layers = {{.outputs = 3, .bias = false}}, .parameters = {1, 1, 1}};
  p.shape = tree_shape(p.model);
  p.rows = {.x = {1}, .y = {0, 0, 0}, .mask = {1}, .absent = {}};
  const float denominator = 16777215.0F;
  const LocalGradient local = gradient_of(p, Dtype::f32, denominator);
  EXPECT_EQ(local.gradient.values()[0], static_cast<double>(1.0F / denominator / 1.5F));
}

Case one_step(const std::vector<std::vector<int>>& masks) {
  Case problem;
  problem.model = {.features = 1, .layers = {{.outputs = 1, .bias = false}}, .parameters = {1}};
  problem.mesh.axes.front().size = static_cast<int>(masks.size());
  Step& step = problem.steps.emplace_back();
  for (const std::vector<int>& mask : masks) {
    MicroBatch rows;
    for (int kept : mask) {
      rows.x.push_back(1);
      rows.y.push_back(0);
      rows.mask.push_back(static_cast<std::uint8_t>(kept));
    }
    step.shards.emplace_back().micro_batches.push_back(rows);
  }
  return problem;
}

TEST(LocalContribution, DividesByWhatItsFormSays) {
  const Case problem = one_step({{1, 1, 0}, {1, 1}});  // each row adds 2 to the gradient
  const SharedShape shape = tree_shape(problem.model);
  const auto first = [&](InputForm form) {
    return local_contribution(problem, shape, 0, 0, 0, form).gradient.values()[0];
  };
  EXPECT_EQ(first(InputForm::local_sum), 4);
  EXPECT_EQ(first(InputForm::local_mean), 2);
  EXPECT_EQ(first(InputForm::global_mean), 1);
}

TEST(LocalContribution, IsZeroWhereNoRowIsValid) {
  const Case problem = one_step({{0, 0}, {0}});
  const SharedShape shape = tree_shape(problem.model);
  for (InputForm form : {InputForm::local_mean, InputForm::local_sum, InputForm::global_mean}) {
    const Contribution mine = local_contribution(problem, shape, 0, 0, 0, form);
    EXPECT_EQ(mine.gradient.values()[0], 0);
    EXPECT_EQ(mine.loss, 0);
    EXPECT_EQ(mine.valid.value, 0);
    EXPECT_EQ(mine.rows, 2);
    EXPECT_TRUE(mine.last);
  }
}

TEST(LocalContribution, TakesAGivenOneAsItIs) {
  Case problem = one_step({{1}, {1}});
  GivenContributions given;
  given.items = {{{{.gradient = {5}, .loss = 6}}, {{.gradient = {7}, .loss = 8}}}};
  problem.given = std::make_shared<const GivenContributions>(given);
  const Contribution mine =
      local_contribution(problem, tree_shape(problem.model), 0, 1, 0, InputForm::local_mean);
  EXPECT_EQ(mine.gradient.values()[0], 7);
  EXPECT_EQ(mine.loss, 8);
  EXPECT_EQ(mine.valid.value, 1);
}

}  // namespace
}  // namespace shardproof
