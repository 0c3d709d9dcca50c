#include "shardproof/generators/batches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "generators/conformance.h"
#include "shardproof/generators/arbitrary.h"
#include "shardproof/generators/models.h"

namespace shardproof {
namespace {

Split mixed_split() { return {{{{2, 2}, {3, 1}}, {{0, 0}, {1, 1}}, {{4, 0}, {2, 2}}}}; }

Model model_of(const Palette& palette) {
  Source source{rc::Random(11)};
  Model model{.features = 2, .layers = {{2, true}, {1, false}}, .parameters = {}};
  fill_parameters(source, palette, model);
  return model;
}

std::optional<std::string> outside(const Model& model, Dtype dtype, const Step& step) {
  const auto fits = [&](const std::vector<double>& values, int rows, int columns) {
    return static_cast<int>(values.size()) == rows * columns &&
           std::all_of(values.begin(), values.end(),
                       [&](double value) { return representable(dtype, value); });
  };
  const Split split = mixed_split();
  for (std::size_t shard = 0; shard < split.shards.size(); ++shard) {
    for (std::size_t k = 0; k < split.shards[shard].size(); ++k) {
      const MicroBatch& rows = step.shards[shard].micro_batches[k];
      const RowCount count = split.shards[shard][k];
      if (rows.rows() != count.rows || rows.valid().value != count.valid) return "rows";
      if (!fits(rows.x, count.rows, model.features)) return "x";
      if (!fits(rows.y, count.rows, model.outputs())) return "y";
    }
  }
  return std::nullopt;
}

TEST(Steps, Conform) {
  for (const ValueFamily family : kAllValueFamilies) {
    for (const Dtype dtype : all_dtypes()) {
      const Palette palette{.family = family, .dtype = dtype};
      const Model model = model_of(palette);
      const Filling filling{
          .palette = palette, .padding = PaddingContent::any, .absent_layers = true};
      expect_conforms<Step>(
          {.name = "steps of " + std::string(name(family)),
           .generator = arbitrary_step(model, mixed_split(), filling),
           .objection = [=](const Step& step) { return outside(model, dtype, step); },
           .is_simpler = [](const Step& a, const Step& b) { return is_simpler(a, b); },
           .draws = 5});
    }
  }
}

TEST(Steps, PutPaddingAnywhereAmongTheRows) {
  const Palette palette;
  const Model model = model_of(palette);
  Source source{rc::Random(2)};
  std::set<std::vector<std::uint8_t>> masks;
  for (int i = 0; i < 100; ++i) {
    masks.insert(draw_micro_batch(source, {3, 2}, model, {.palette = palette}).mask);
  }
  EXPECT_EQ(masks.size(), 3U);
}

TEST(Steps, OfTheCancellingFamilyHaveResidualsFarSmallerThanTheirTerms) {
  const Palette palette{.family = ValueFamily::cancelling, .dtype = Dtype::f32};
  const Model model = model_of(palette);
  const Split split{{{{1, 1}}, {{1, 1}}}};
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Source source{rc::Random(seed)};
    const Step step = draw_step(source, split, model, {.palette = palette});
    for (int k = 0; k < model.outputs(); ++k) {
      double residuals = 0;
      double magnitude = 0;
      for (const Shard& shard : step.shards) {
        const MicroBatch& rows = shard.micro_batches.front();
        const double predicted = prediction(model, rows.x.data(), k);
        residuals += predicted - rows.y[static_cast<std::size_t>(k)];
        magnitude += std::fabs(predicted) + std::fabs(rows.y[static_cast<std::size_t>(k)]);
      }
      EXPECT_LE(std::fabs(residuals), 1e-5 * magnitude);
    }
  }
}

TEST(Arrival, Conforms) {
  expect_conforms<std::vector<int>>(
      {.name = "arrival",
       .generator = arbitrary_arrival(6),
       .objection = [](const std::vector<int>& arrival) -> std::optional<std::string> {
         const std::set<int> ranks(arrival.begin(), arrival.end());
         if (arrival.empty()) return std::nullopt;
         if (arrival.size() != 6 || ranks.size() != 6) return "is no permutation";
         if (*ranks.begin() != 0 || *ranks.rbegin() != 5) return "has other ranks";
         return std::nullopt;
       },
       .is_simpler = is_simpler_arrival});
}

}  // namespace
}  // namespace shardproof
