#include "shardproof/generators/models.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "generators/conformance.h"
#include "shardproof/generators/arbitrary.h"

namespace shardproof {
namespace {

std::optional<std::string> outside(const ModelLimits& limits, Dtype dtype, const Model& model) {
  if (model.features < 1 || model.features > limits.features) return "features";
  if (model.layers.empty() || static_cast<int>(model.layers.size()) > limits.layers) {
    return "layers";
  }
  for (const Layer& layer : model.layers) {
    if (layer.outputs < 1 || layer.outputs > limits.outputs) return "outputs";
  }
  if (model.parameters.size() != tree_shape(model)->size) return "parameters";
  for (const double parameter : model.parameters) {
    if (!representable(dtype, parameter)) return "a parameter is not of the dtype";
  }
  return std::nullopt;
}

/// Two features; kernels [1 2; 3 4] and [7; 8], biases [5 6] and none.
Model two_layers() {
  return {.features = 2,
          .layers = {{.outputs = 2, .bias = true}, {.outputs = 1, .bias = false}},
          .parameters = {1, 2, 3, 4, 5, 6, 7, 8}};
}

TEST(Models, Conform) {
  const ModelLimits limits{.features = 4, .layers = 3, .outputs = 3};
  for (const ValueFamily family : kAllValueFamilies) {
    const Palette palette{.family = family, .dtype = Dtype::f32};
    expect_conforms<Model>(
        {.name = "models of " + std::string(name(family)),
         .generator = arbitrary_model(limits, palette),
         .objection = [=](const Model& model) { return outside(limits, Dtype::f32, model); },
         .is_simpler = [](const Model& a, const Model& b) { return is_simpler(a, b); },
         .draws = 20});
  }
}

TEST(Models, HaveOneLayerOrSeveralWithAndWithoutBias) {
  Source source{rc::Random(3)};
  int several = 0;
  int without_bias = 0;
  int unlike = 0;
  for (int i = 0; i < 300; ++i) {
    const Model model = draw_model_shape(source, {});
    several += model.layers.size() > 1 ? 1 : 0;
    for (const Layer& layer : model.layers) {
      without_bias += layer.bias ? 0 : 1;
      unlike += layer.outputs != model.layers.front().outputs ? 1 : 0;
    }
  }
  EXPECT_GT(several, 50);
  EXPECT_GT(without_bias, 50);
  EXPECT_GT(unlike, 50);
}

TEST(Models, KeepTheParametersThatRemainWhenTheyGetSimpler) {
  std::vector<std::vector<double>> simpler;
  for_each_simpler(two_layers(), [&](const Model& candidate) {
    simpler.push_back(candidate.parameters);
    return simpler.size() < 5;
  });
  EXPECT_EQ(simpler, (std::vector<std::vector<double>>{{7, 8},              // no first layer
                                                       {1, 2, 3, 4, 5, 6},  // no second layer
                                                       {1, 3, 5, 7, 8},     // one output less
                                                       {1, 2, 3, 4, 7, 8},  // no bias
                                                       {1, 2, 5, 6, 7}}));  // one feature
}

TEST(Models, PredictColumnByColumnAcrossLayers) {
  const Model model = two_layers();
  const std::vector<double> x{1, 10};
  EXPECT_EQ(prediction(model, x.data(), 0), 1 + 30 + 5);
  EXPECT_EQ(prediction(model, x.data(), 1), 2 + 40 + 6);
  EXPECT_EQ(prediction(model, x.data(), 2), 7 + 80);
}

TEST(AbsentLayers, NeverLeaveAMicroBatchWithoutAny) {
  Source source{rc::Random(3)};
  int some = 0;
  for (std::size_t layers = 1; layers <= 4; ++layers) {
    const Model model{.features = 1, .layers = std::vector<Layer>(layers), .parameters = {}};
    for (int i = 0; i < 200; ++i) {
      const std::vector<std::uint8_t> absent = draw_absent(source, model);
      if (absent.empty()) continue;
      ++some;
      EXPECT_EQ(absent.size(), layers);
      EXPECT_NE(std::count(absent.begin(), absent.end(), 0), 0);
      EXPECT_NE(std::count(absent.begin(), absent.end(), 1), 0);
    }
  }
  EXPECT_GT(some, 100);
}

}  // namespace
}  // namespace shardproof
