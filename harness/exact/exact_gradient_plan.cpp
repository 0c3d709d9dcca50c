#include "exact/exact_gradient_plan.h"

#include <algorithm>
#include <limits>

#include "exact/limbs.h"

namespace shardproof::exact {
namespace {

/// Where the bits of a set of numbers stand: in [low, high).
struct Extent {
  int low = std::numeric_limits<int>::max();
  int high = std::numeric_limits<int>::min();

  [[nodiscard]] bool empty() const { return low > high; }

  void include(std::span<const double> values) {
    for (const double value : values) {
      const limbs::Parts parts = limbs::split(value);
      if (parts.mantissa == 0) continue;
      low = std::min(low, parts.exponent + std::countr_zero(parts.mantissa));
      high = std::max(high, parts.exponent + static_cast<int>(std::bit_width(parts.mantissa)));
    }
  }
  /// Also covers the sums of one number of each.
  void include(const Extent& other) {
    low = std::min(low, other.low);
    high = std::max(high, other.high);
  }
};

int bit_width_128(limbs::Uint128 value) {
  const auto high = static_cast<std::uint64_t>(value >> 64);
  return static_cast<int>(high != 0 ? 64 + std::bit_width(high)
                                    : std::bit_width(static_cast<std::uint64_t>(value)));
}

struct Survey {
  Extent x, y, kernel, bias;
  std::uint64_t largest_weight = 0;
  limbs::Uint128 weighted_rows = 0;

  void include_parameters(std::span<const double> parameters, const Model& model,
                          const Places& places) {
    for (const LayerPlace& layer : places.layers) {
      const std::size_t size = static_cast<std::size_t>(model.features) * layer.outputs;
      kernel.include(parameters.subspan(layer.kernel, size));
      if (layer.has_bias) bias.include(parameters.subspan(layer.bias, layer.outputs));
    }
  }

  void include_rows(const WeightedRows& group, const Model& model, const Places& places) {
    const auto features = static_cast<std::size_t>(model.features);
    for (std::size_t row = 0; row < group.rows->mask.size(); ++row) {
      if (group.rows->mask[row] == 0) continue;
      x.include(std::span(group.rows->x).subspan(row * features, features));
      y.include(std::span(group.rows->y).subspan(row * places.columns, places.columns));
      weighted_rows += group.weight;
    }
    largest_weight = std::max(largest_weight, group.weight);
  }
};

Survey survey(const Model& model, const Places& places, std::span<const WeightedRows> groups) {
  Survey result;
  const double* last_parameters = nullptr;
  for (const WeightedRows& group : groups) {
    if (group.weight == 0) continue;
    if (group.parameters.data() != last_parameters) {
      result.include_parameters(group.parameters, model, places);
      last_parameters = group.parameters.data();
    }
    result.include_rows(group, model, places);
  }
  return result;
}

}  // namespace

std::optional<Plan> plan(const Model& model, const Places& places,
                         std::span<const WeightedRows> groups) {
  const Survey found = survey(model, places, groups);
  Plan result;
  result.products = !found.x.empty() && !found.kernel.empty();
  Extent z = found.bias;
  z.include(found.y);
  if (result.products) {
    const int terms = static_cast<int>(std::bit_width(static_cast<unsigned>(model.features)));
    z.include(Extent{.low = found.x.low + found.kernel.low,
                     .high = found.x.high + found.kernel.high + terms});
  }
  if (z.empty()) return std::nullopt;
  const int x_bits = found.x.empty() ? 0 : found.x.high - found.x.low;
  result.x_exponent = found.x.empty() ? 0 : found.x.low;
  result.z_exponent = z.low;
  result.w_exponent = z.low - result.x_exponent;
  const int w_bits = result.products ? found.kernel.high - result.w_exponent : 0;
  result.operand_bits = std::max(x_bits, w_bits);
  const int z_bits = z.high - z.low + 2;  // products, bias and y: a sum of three
  result.residual_bits = z_bits + static_cast<int>(std::bit_width(found.largest_weight));
  result.gradient_bits = x_bits + z_bits + bit_width_128(found.weighted_rows);
  result.loss_bits = 2 * z_bits + bit_width_128(found.weighted_rows) +
                     static_cast<int>(std::bit_width(places.columns));
  return result;
}

}  // namespace shardproof::exact
