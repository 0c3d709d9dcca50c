// How far a local gradient may be off, against rational arithmetic.

#include <gtest/gtest.h>

#include "harness/exact/naive_gradient.h"
#include "shardproof/exact/bound.h"
#include "shardproof/subject/local_gradient.h"

namespace shardproof {
namespace {

using oracle::Rational;

/// One feature, one output, no bias, parameter 0: the residual of a row is -y.
Model plain_model() {
  return {.features = 1, .layers = {{.outputs = 1, .bias = false}}, .parameters = {0}};
}

LocalBound bound_of(const Model& model, const MicroBatch& rows, LocalDtypes dtypes) {
  const double entries = rows.rows() * model.outputs();
  const EvaluatedRows group{&rows, model.parameters};
  const bool stored = dtypes.store != dtypes.compute;
  const LocalArithmetic arithmetic{.dtype = dtypes.compute,
                                   .store = stored ? std::optional(dtypes.store) : std::nullopt,
                                   .scale = 2 / entries * (1 + 0x1p-50),
                                   .loss_scale = 1 / entries * (1 + 0x1p-50)};
  return local_bound(model, {&group, 1}, arithmetic);
}

LocalBound bound_of(const Model& model, const MicroBatch& rows, Dtype dtype) {
  return bound_of(model, rows, local_dtypes(dtype, dtype));
}

double half_gap(Dtype dtype, double value) {
  return std::max(last_rounding({}, dtype, value, true), last_rounding({}, dtype, value, false));
}

TEST(LocalBound, HoldsForProductsThatUnderflowAfterTheResidualIsScaled) {
  // Amendment 4: what automatic differentiation does. Counting one underflow of the scaled sum, as
  // the first form of the bound did, misses by far.
  oracle::Draws draws(4);
  constexpr int kRows = 300;
  double worst_of_old = 0;
  for (int trial = 0; trial < 300; ++trial) {
    MicroBatch rows{.x = {}, .y = {}, .mask = std::vector<std::uint8_t>(kRows, 1), .absent = {}};
    float sum = 0;
    Rational exact = 0;
    // Terms that all fall a little short of half way between two subnormals.
    const float x = static_cast<float>(1.8e-20 * (1 + 0.01 * draws.below(100)));
    const float y = static_cast<float>(4e-23 * (1 + 0.01 * draws.below(100)));
    for (int i = 0; i < kRows; ++i) {
      rows.x.push_back(x);
      rows.y.push_back(-y);
      sum += x * (y * (2.0F / kRows));
      exact += Rational(x) * Rational(y) * 2 / kRows;
    }
    const double error = static_cast<double>(Rational(abs(Rational(sum) - exact)));
    ASSERT_LE(error, bound_of(plain_model(), rows, Dtype::f32).gradient[0] + 0x1p-150) << trial;
    const double old = 0x1p-150 * (2.0 / kRows * kRows + 3);
    worst_of_old = std::max(worst_of_old, error / old);
  }
  EXPECT_GT(worst_of_old, 20);
}

TEST(LocalBound, CoversTheLocalGradientAndLossOfRandomRows) {
  oracle::Draws draws(5);
  const oracle::Values families[] = {oracle::Values::small_integers,
                                     oracle::Values::single_precision};
  double worst = 0;
  int judged = 0;
  for (int trial = 0; trial < 1600; ++trial) {
    const oracle::Sizes sizes{.features = 1 + draws.below(4),
                              .layers = {{.outputs = 2}, {.outputs = 1, .bias = false}},
                              .groups = 1,
                              .rows = 1 + draws.below(12)};
    oracle::Problem problem = oracle::random_problem(
        draws, sizes, families[draws.below(2)], families[draws.below(2)], families[draws.below(2)]);
    problem.model.parameters = problem.parameters[0];
    MicroBatch& rows = problem.batches[0];
    const bool single = draws.below(2) == 0;
    const Dtype dtype = all_dtypes()[static_cast<std::size_t>(draws.below(4))];  // of the result
    const LocalDtypes dtypes = local_dtypes(single ? Dtype::f32 : Dtype::f64, dtype);
    const double scale = std::ldexp(1.0, -draws.below(3) * (dtype == Dtype::f16 ? 4 : 30));
    for (double& y : rows.y) y *= scale;
    for (double& w : problem.model.parameters) w *= scale;
    problem.parameters[0] = problem.model.parameters;
    const LocalGradient local = local_gradient(problem.model, tree_shape(problem.model),
                                               problem.model.parameters, rows, dtypes, sizes.rows);
    const LocalBound bound = bound_of(problem.model, rows, dtypes);
    if (bound.may_overflow) continue;
    const int entries = sizes.rows * problem.model.outputs();
    const std::vector<Rational> exact = oracle::naive_gradient(problem.model, problem.groups());
    for (std::size_t e = 0; e < exact.size(); ++e) {
      const double value = local.gradient.values()[e];
      const auto error = static_cast<double>(Rational(abs(Rational(value) - exact[e] / entries)));
      const double allowed = bound.gradient[e] + half_gap(dtype, value);
      ASSERT_LE(error, allowed) << trial << " " << e;
      worst = std::max(worst, error / allowed);
    }
    ++judged;
    const Rational loss = oracle::naive_loss(problem.model, problem.groups()) / entries;
    const auto off = static_cast<double>(Rational(abs(Rational(local.loss) - loss)));
    ASSERT_LE(off, bound.loss + half_gap(dtype, local.loss)) << trial;
  }
  EXPECT_GT(judged, 1000);
  EXPECT_GT(worst, 0.02);  // the bound is of the size of real errors
}

MicroBatch one_row(double y) { return {.x = {1}, .y = {y}, .mask = {1}, .absent = {}}; }

TEST(LocalBound, SaysWhereSquaresOrSumsMayOverflow) {
  EXPECT_FALSE(bound_of(plain_model(), one_row(1e15), Dtype::f32).may_overflow);
  EXPECT_TRUE(bound_of(plain_model(), one_row(1e20), Dtype::f32).may_overflow);
  EXPECT_FALSE(bound_of(plain_model(), one_row(1e20), Dtype::f64).may_overflow);
  EXPECT_TRUE(bound_of(plain_model(), one_row(1e200), Dtype::f64).may_overflow);
}

TEST(LocalBound, OfNoValidRowIsZero) {
  MicroBatch padding = one_row(3);
  padding.mask[0] = 0;
  const LocalBound bound = bound_of(plain_model(), padding, Dtype::f32);
  EXPECT_EQ(bound.gradient[0], 0);
  EXPECT_EQ(bound.loss, 0);
  EXPECT_FALSE(bound.may_overflow);
}

TEST(LocalBound, TakesEveryShardAtItsOwnParameters) {
  // x = 1000 and parameters one unit in the last place apart (amendment 13).
  const Model model = plain_model();
  const double up = next_up(Dtype::f32, 1);
  const std::vector<double> first{1};
  const std::vector<double> second{up};
  const MicroBatch a{.x = {1000}, .y = {1000}, .mask = {1}, .absent = {}};
  const EvaluatedRows groups[] = {{&a, first}, {&a, second}};
  const LocalBound both = local_bound(model, groups, {.scale = 1});
  const EvaluatedRows alone[] = {{&a, first}, {&a, first}};
  const LocalBound same = local_bound(model, alone, {.scale = 1});
  EXPECT_GT(both.gradient[0], same.gradient[0]);
}

}  // namespace
}  // namespace shardproof
