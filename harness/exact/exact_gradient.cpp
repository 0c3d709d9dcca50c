#include "shardproof/exact/exact_gradient.h"

#include "exact/exact_gradient_paths.h"

namespace shardproof {
namespace exact {

Places places(const Model& model) {
  Places result;
  result.layers.reserve(model.layers.size());
  const auto features = static_cast<std::size_t>(model.features);
  for (const Layer& layer : model.layers) {
    const auto outputs = static_cast<std::size_t>(layer.outputs);
    const std::size_t bias = result.elements + features * outputs;
    result.layers.push_back({.outputs = outputs,
                             .column = result.columns,
                             .kernel = result.elements,
                             .bias = bias,
                             .has_bias = layer.bias});
    result.columns += outputs;
    result.elements = layer.bias ? bias + outputs : bias;
  }
  return result;
}

}  // namespace exact

ExactTree exact_gradient(const Model& model, std::span<const WeightedRows> groups,
                         std::uint64_t divisor) {
  const exact::Places places = exact::places(model);
  std::optional<std::vector<Dyadic>> sums = exact::aligned_gradient(model, places, groups);
  if (!sums) sums = exact::general_gradient(model, places, groups);
  for (Dyadic& sum : *sums) sum = {sum.negative(), sum.limbs(), sum.exponent() + 1};
  return {.numerators = std::move(*sums), .divisor = divisor};
}

ExactLoss exact_loss(const Model& model, std::span<const WeightedRows> groups,
                     std::uint64_t divisor) {
  const exact::Places places = exact::places(model);
  std::optional<Dyadic> sum = exact::aligned_loss(model, places, groups);
  if (!sum) sum = exact::general_loss(model, places, groups);
  return {.numerator = std::move(*sum), .divisor = divisor};
}

}  // namespace shardproof
