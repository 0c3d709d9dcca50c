#include "shardproof/generators/models.h"

#include <array>
#include <numeric>

namespace shardproof {
namespace {

std::size_t parameter_count(const Model& model, const Layer& layer) {
  const auto outputs = static_cast<std::size_t>(layer.outputs);
  return outputs * static_cast<std::size_t>(model.features) + (layer.bias ? outputs : 0);
}

/// The parameters that remain when `model` becomes `smaller`, layer `dropped` being left out (-1:
/// none). Rows and columns that both have keep their values.
void keep_parameters(const Model& model, int dropped, Model& smaller) {
  smaller.parameters.clear();
  std::size_t offset = 0;
  std::size_t to = 0;
  for (std::size_t from = 0; from < model.layers.size(); ++from) {
    const Layer& layer = model.layers[from];
    const double* kernel = model.parameters.data() + offset;
    offset += parameter_count(model, layer);
    if (static_cast<int>(from) == dropped) continue;
    const Layer& kept = smaller.layers[to++];
    for (int row = 0; row < smaller.features; ++row) {
      const double* begin = kernel + row * layer.outputs;
      smaller.parameters.insert(smaller.parameters.end(), begin, begin + kept.outputs);
    }
    if (!kept.bias) continue;
    const double* bias = kernel + model.features * layer.outputs;
    smaller.parameters.insert(smaller.parameters.end(), bias, bias + kept.outputs);
  }
}

int biases(const Model& model) {
  return std::accumulate(model.layers.begin(), model.layers.end(), 0,
                         [](int sum, const Layer& layer) { return sum + (layer.bias ? 1 : 0); });
}

int compare(int a, int b) { return a < b ? -1 : (a > b ? 1 : 0); }

bool visit_simpler_layers(const Model& model, const std::function<bool(Model)>& visit) {
  for (std::size_t i = 0; i < model.layers.size() && model.layers.size() > 1; ++i) {
    Model smaller = model;
    smaller.layers.erase(smaller.layers.begin() + static_cast<std::ptrdiff_t>(i));
    keep_parameters(model, static_cast<int>(i), smaller);
    if (!visit(std::move(smaller))) return false;
  }
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    if (model.layers[i].outputs == 1) continue;
    Model smaller = model;
    --smaller.layers[i].outputs;
    keep_parameters(model, -1, smaller);
    if (!visit(std::move(smaller))) return false;
  }
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    if (!model.layers[i].bias) continue;
    Model smaller = model;
    smaller.layers[i].bias = false;
    keep_parameters(model, -1, smaller);
    if (!visit(std::move(smaller))) return false;
  }
  return true;
}

}  // namespace

Model draw_model_shape(Source& source, const ModelLimits& limits) {
  Model model;
  model.features = source.between(limits.least_features, limits.features);
  const int layers = source.chance(1, 2) ? limits.least_layers
                                         : source.between(limits.least_layers, limits.layers);
  for (int i = 0; i < layers; ++i) {
    const int outputs = source.between(limits.least_outputs, limits.outputs);
    model.layers.push_back({.outputs = outputs, .bias = source.chance(3, 4)});
    if (limits.biases != Biases::any) model.layers.back().bias = limits.biases == Biases::yes;
  }
  return model;
}

void fill_parameters(Source& source, const Palette& palette, Model& model) {
  std::size_t count = 0;
  for (const Layer& layer : model.layers) count += parameter_count(model, layer);
  model.parameters.resize(count);
  for (double& parameter : model.parameters) parameter = palette.parameter(source);
}

std::vector<std::uint8_t> draw_absent(Source& source, const Model& model) {
  const int layers = static_cast<int>(model.layers.size());
  if (layers < 2 || !source.chance(1, 3)) return {};
  std::vector<std::uint8_t> absent(model.layers.size());
  for (std::uint8_t& entry : absent) entry = source.chance(1, 2) ? 1 : 0;
  // One layer stays in use, another does not.
  const int used = source.below(layers);
  absent[static_cast<std::size_t>(used)] = 0;
  absent[static_cast<std::size_t>((used + source.between(1, layers - 1)) % layers)] = 1;
  return absent;
}

double prediction(const Model& model, const double* x, int output) {
  std::size_t offset = 0;
  for (const Layer& layer : model.layers) {
    const auto outputs = static_cast<std::size_t>(layer.outputs);
    const auto features = static_cast<std::size_t>(model.features);
    if (output < layer.outputs) {
      const auto column = static_cast<std::size_t>(output);
      double sum = layer.bias ? model.parameters[offset + features * outputs + column] : 0;
      for (std::size_t d = 0; d < features; ++d) {
        sum += x[d] * model.parameters[offset + d * outputs + column];
      }
      return sum;
    }
    output -= layer.outputs;
    offset += outputs * (features + (layer.bias ? 1 : 0));
  }
  return 0;
}

bool is_simpler(const Model& a, const Model& b) {
  const std::array comparisons{
      compare(static_cast<int>(a.layers.size()), static_cast<int>(b.layers.size())),
      compare(a.outputs(), b.outputs()), compare(biases(a), biases(b)),
      compare(a.features, b.features)};
  for (const int comparison : comparisons) {
    if (comparison != 0) return comparison < 0;
  }
  if (a.layers != b.layers) return false;  // neither is simpler
  for (std::size_t i = 0; i < a.parameters.size(); ++i) {
    if (is_simpler(a.parameters[i], b.parameters[i])) return true;
    if (is_simpler(b.parameters[i], a.parameters[i])) return false;
  }
  return false;
}

void for_each_simpler(const Model& model, const std::function<bool(Model)>& visit) {
  if (!visit_simpler_layers(model, visit)) return;
  if (model.features > 1) {
    Model smaller = model;
    --smaller.features;
    keep_parameters(model, -1, smaller);
    if (!visit(std::move(smaller))) return;
  }
  bool wanted = true;
  for (std::size_t i = 0; i < model.parameters.size() && wanted; ++i) {
    for_each_simpler(model.parameters[i], [&](double value) {
      Model simpler = model;
      simpler.parameters[i] = value;
      return wanted = visit(std::move(simpler));
    });
  }
}

}  // namespace shardproof
