#pragma once

#include <limits>
#include <span>
#include <vector>

#include "harness/exact/oracle.h"
#include "shardproof/exact/exact_gradient.h"

/// The gradient and the loss by rational arithmetic, straight from their definition. It shares
/// nothing with the exact engine, not even how the flat tree is laid out.
namespace shardproof::oracle {

/// Calls visit(layer, k, row, group, r) for every residual r that counts.
template <typename Visit>
void for_each_residual(const Model& model, std::span<const WeightedRows> groups, Visit visit) {
  const int features = model.features;
  int columns = 0;
  for (const Layer& layer : model.layers) columns += layer.outputs;
  for (const WeightedRows& group : groups) {
    for (int row = 0; row < group.rows->rows(); ++row) {
      if (group.rows->mask[static_cast<std::size_t>(row)] == 0) continue;
      int column = 0;
      int offset = 0;
      for (int l = 0; l < static_cast<int>(model.layers.size()); ++l) {
        const Layer& layer = model.layers[static_cast<std::size_t>(l)];
        const int bias = offset + features * layer.outputs;
        for (int k = 0; k < layer.outputs && !group.rows->is_absent(l); ++k) {
          Rational r =
              -Rational(group.rows->y[static_cast<std::size_t>(row * columns + column + k)]);
          for (int d = 0; d < features; ++d) {
            r += Rational(group.rows->x[static_cast<std::size_t>(row * features + d)]) *
                 Rational(
                     group.parameters[static_cast<std::size_t>(offset + d * layer.outputs + k)]);
          }
          if (layer.bias) r += Rational(group.parameters[static_cast<std::size_t>(bias + k)]);
          visit(l, k, row, group, r);
        }
        offset = bias + (layer.bias ? layer.outputs : 0);
        column += layer.outputs;
      }
    }
  }
}

inline std::vector<Rational> naive_gradient(const Model& model,
                                            std::span<const WeightedRows> groups) {
  std::vector<std::vector<Rational>> kernels;
  std::vector<std::vector<Rational>> biases;
  for (const Layer& layer : model.layers) {
    kernels.emplace_back(static_cast<std::size_t>(model.features * layer.outputs));
    biases.emplace_back(static_cast<std::size_t>(layer.bias ? layer.outputs : 0));
  }
  for_each_residual(
      model, groups, [&](int l, int k, int row, const WeightedRows& group, const Rational& r) {
        const auto layer = static_cast<std::size_t>(l);
        const int outputs = model.layers[layer].outputs;
        const Rational twice = 2 * r * group.weight;
        for (int d = 0; d < model.features; ++d) {
          const double x = group.rows->x[static_cast<std::size_t>(row * model.features + d)];
          kernels[layer][static_cast<std::size_t>(d * outputs + k)] += Rational(x) * twice;
        }
        if (!biases[layer].empty()) biases[layer][static_cast<std::size_t>(k)] += twice;
      });
  std::vector<Rational> result;
  for (std::size_t l = 0; l < kernels.size(); ++l) {
    result.insert(result.end(), kernels[l].begin(), kernels[l].end());
    result.insert(result.end(), biases[l].begin(), biases[l].end());
  }
  return result;
}

inline Rational naive_loss(const Model& model, std::span<const WeightedRows> groups) {
  Rational result = 0;
  for_each_residual(model, groups,
                    [&](int, int, int, const WeightedRows& group, const Rational& r) {
                      result += r * r * group.weight;
                    });
  return result;
}

/// A model with rows for it, owning what `groups` borrows.
struct Problem {
  Model model;
  std::vector<std::vector<double>> parameters;
  std::vector<MicroBatch> batches;
  std::vector<std::uint64_t> weights;

  [[nodiscard]] std::vector<WeightedRows> groups() const {
    std::vector<WeightedRows> result;
    for (std::size_t i = 0; i < batches.size(); ++i) {
      result.push_back({.rows = &batches[i],
                        .parameters = parameters[i % parameters.size()],
                        .weight = weights[i]});
    }
    return result;
  }
};

struct Sizes {
  int features = 3;
  std::vector<Layer> layers{{.outputs = 2}};
  int groups = 4;
  int rows = 3;  ///< in each group
  int parameter_sets = 1;
};

/// \param x, w, y  families of the features, of kernel and bias, and of the targets
inline Problem random_problem(Draws& draws, const Sizes& sizes, Values x, Values w, Values y) {
  Problem result;
  result.model = {.features = sizes.features, .layers = sizes.layers, .parameters = {}};
  int elements = 0;
  int columns = 0;
  for (const Layer& layer : sizes.layers) {
    elements += layer.outputs * (sizes.features + (layer.bias ? 1 : 0));
    columns += layer.outputs;
  }
  const auto fill = [&](std::vector<double>& values, int count, Values family) {
    for (int i = 0; i < count; ++i) values.push_back(draws.value(family));
  };
  result.parameters.resize(static_cast<std::size_t>(sizes.parameter_sets));
  for (std::vector<double>& parameters : result.parameters) fill(parameters, elements, w);
  for (int g = 0; g < sizes.groups; ++g) {
    MicroBatch batch;
    fill(batch.x, sizes.rows * sizes.features, x);
    fill(batch.y, sizes.rows * columns, y);
    batch.mask.assign(static_cast<std::size_t>(sizes.rows), 1);
    result.batches.push_back(std::move(batch));
    result.weights.push_back(1);
  }
  return result;
}

}  // namespace shardproof::oracle
