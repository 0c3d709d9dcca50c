#include "fit.h"

#include <algorithm>

namespace shardproof {
namespace {

/// Sizes outside of the range are wrapped into it: neighbours stay unlike.
int wrapped(const SizeRange& range, int size) {
  if (range.holds(size)) return size;
  const int width = range.high - range.low + 1;
  return range.low + (((size - range.low) % width) + width) % width;
}

}  // namespace

SizeRange drawn_range(const SizeRange& claimed, const SizeRange& usual) {
  const int low = std::max(claimed.low, usual.low);
  const int high = std::max(usual.high, low + (usual.high - usual.low));
  return {std::min(low, claimed.high), std::min(high, claimed.high)};
}

int fit_size(const SizeRange& claimed, int size) {
  return std::clamp(size, claimed.low, claimed.high);
}

void fit_model(const Shapes& shapes, Model& model) {
  model.features = wrapped(shapes.features, model.features);
  const auto layers =
      static_cast<std::size_t>(fit_size(shapes.layers, static_cast<int>(model.layers.size())));
  const std::size_t given = model.layers.size();
  for (std::size_t more = given; more < layers; ++more) {
    const Layer& like = model.layers[more % given];
    model.layers.push_back({.outputs = like.outputs + 1, .bias = like.bias});
  }
  model.layers.resize(layers);
  for (Layer& layer : model.layers) {
    layer.outputs = wrapped(shapes.outputs, layer.outputs);
    if (shapes.biases != Biases::any) layer.bias = shapes.biases == Biases::yes;
  }
}

RowCount fit_rows(const SizeRange& rows, RowCount count) {
  const int fitting = fit_size(rows, count.rows);
  return {.rows = fitting, .valid = std::min(count.valid, fitting)};
}

}  // namespace shardproof
