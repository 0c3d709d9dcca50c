#include "shardproof/case/shapes.h"

#include <algorithm>

namespace shardproof {
namespace {

std::string claimed(const SizeRange& range) {
  return range.low == range.high
             ? "(" + std::to_string(range.low) + ")"
             : "(" + std::to_string(range.low) + " to " + std::to_string(range.high) + ")";
}

/// `3 rows of a micro-batch are not claimed (1 to 2)`.
std::optional<std::string> outside(const SizeRange& range, int size, const char* what) {
  if (range.holds(size)) return std::nullopt;
  return std::to_string(size) + " " + what + " are not claimed " + claimed(range);
}

bool leaves_a_layer_unused(const MicroBatch& rows) {
  return std::find(rows.absent.begin(), rows.absent.end(), 1) != rows.absent.end();
}

std::optional<std::string> outside_of(const Shapes& shapes, const Step& step) {
  if (auto why = outside(shapes.micro_batches, step.micro_batches(), "micro-batches of a step")) {
    return why;
  }
  for (const Shard& shard : step.shards) {
    for (const MicroBatch& rows : shard.micro_batches) {
      if (auto why = outside(shapes.rows, rows.rows(), "rows of a micro-batch")) return why;
      if (!shapes.absent && leaves_a_layer_unused(rows)) {
        return "layers that are absent from a micro-batch are not claimed";
      }
    }
  }
  return std::nullopt;
}

std::optional<std::string> outside_of(const Shapes& shapes, const Model& model) {
  if (auto why = outside(shapes.features, model.features, "features")) return why;
  if (auto why = outside(shapes.layers, static_cast<int>(model.layers.size()), "layers")) {
    return why;
  }
  for (const Layer& layer : model.layers) {
    if (auto why = outside(shapes.outputs, layer.outputs, "outputs of a layer")) return why;
    if (layer.bias && shapes.biases == Biases::no) return "a layer with a bias is not claimed";
    if (!layer.bias && shapes.biases == Biases::yes) return "a layer without bias is not claimed";
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> outside_of(const Shapes& shapes, const Case& problem) {
  if (all_shapes(shapes)) return std::nullopt;
  if (auto why = outside(shapes.steps, static_cast<int>(problem.steps.size()), "steps")) return why;
  if (auto why = outside_of(shapes, problem.model)) return why;
  for (const Step& step : problem.steps) {
    if (auto why = outside_of(shapes, step)) return why;
  }
  return std::nullopt;
}

}  // namespace shardproof
