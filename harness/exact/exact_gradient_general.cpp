#include "exact/exact_gradient_paths.h"
#include "shardproof/exact/exact_sum.h"

namespace shardproof::exact {
namespace {

/// One valid row and the parameters that it is evaluated at.
struct Row {
  const double* x;
  const double* y;
  const double* parameters;
  std::uint64_t weight;
};

std::vector<Row> valid_rows(const Model& model, const Places& places,
                            std::span<const WeightedRows> groups, int layer) {
  std::vector<Row> result;
  const auto features = static_cast<std::size_t>(model.features);
  for (const WeightedRows& group : groups) {
    if (group.weight == 0 || group.rows->is_absent(layer)) continue;
    for (std::size_t row = 0; row < group.rows->mask.size(); ++row) {
      if (group.rows->mask[row] == 0) continue;
      result.push_back({.x = group.rows->x.data() + row * features,
                        .y = group.rows->y.data() + row * places.columns,
                        .parameters = group.parameters.data(),
                        .weight = group.weight});
    }
  }
  return result;
}

/// x W + b - y of one output.
Dyadic residual(const Row& row, std::size_t features, const LayerPlace& layer, std::size_t output,
                ExactSum& sum) {
  sum.clear();
  for (std::size_t d = 0; d < features; ++d) {
    sum.add_product(row.x[d], row.parameters[layer.kernel + d * layer.outputs + output]);
  }
  if (layer.has_bias) sum.add(row.parameters[layer.bias + output]);
  sum.add(-row.y[layer.column + output]);
  return sum.total();
}

Dyadic times(const Dyadic& value, std::uint64_t weight, ExactSum& sum) {
  if (weight == 1) return value;
  sum.clear();
  sum.add(value, weight);
  return sum.total();
}

}  // namespace

std::vector<Dyadic> general_gradient(const Model& model, const Places& places,
                                     std::span<const WeightedRows> groups) {
  std::vector<Dyadic> result(places.elements);
  const auto features = static_cast<std::size_t>(model.features);
  std::vector<Dyadic> residuals;
  ExactSum sum;
  for (std::size_t l = 0; l < places.layers.size(); ++l) {
    const LayerPlace& layer = places.layers[l];
    const std::vector<Row> rows = valid_rows(model, places, groups, static_cast<int>(l));
    residuals.resize(rows.size());
    for (std::size_t k = 0; k < layer.outputs; ++k) {
      for (std::size_t i = 0; i < rows.size(); ++i) {
        residuals[i] = times(residual(rows[i], features, layer, k, sum), rows[i].weight, sum);
      }
      for (std::size_t d = 0; d < features; ++d) {
        sum.clear();
        for (std::size_t i = 0; i < rows.size(); ++i) sum.add_product(rows[i].x[d], residuals[i]);
        result[layer.kernel + d * layer.outputs + k] = sum.total();
      }
      if (!layer.has_bias) continue;
      sum.clear();
      for (const Dyadic& term : residuals) sum.add(term);
      result[layer.bias + k] = sum.total();
    }
  }
  return result;
}

Dyadic general_loss(const Model& model, const Places& places,
                    std::span<const WeightedRows> groups) {
  ExactSum loss;
  ExactSum sum;
  const auto features = static_cast<std::size_t>(model.features);
  for (std::size_t l = 0; l < places.layers.size(); ++l) {
    const LayerPlace& layer = places.layers[l];
    for (const Row& row : valid_rows(model, places, groups, static_cast<int>(l))) {
      for (std::size_t k = 0; k < layer.outputs; ++k) {
        const Dyadic error = residual(row, features, layer, k, sum);
        loss.add_product(times(error, row.weight, sum), error);
      }
    }
  }
  return loss.total();
}

}  // namespace shardproof::exact
