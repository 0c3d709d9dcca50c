#pragma once

#include <optional>
#include <span>
#include <vector>

#include "shardproof/exact/exact_gradient.h"

/// The two ways to the exact gradient. Both give the same numbers; the first is faster and does not
/// take every exponent.
namespace shardproof::exact {

/// Where a layer stands in the flat tree and in the columns of y.
struct LayerPlace {
  std::size_t outputs = 1;
  std::size_t column = 0;  ///< its first output among the columns of y
  std::size_t kernel = 0;  ///< offset of its kernel, [features, outputs] row by row
  std::size_t bias = 0;    ///< offset of its bias
  bool has_bias = true;
};

struct Places {
  std::vector<LayerPlace> layers;
  std::size_t columns = 0;   ///< of y
  std::size_t elements = 0;  ///< of the flat tree
};

Places places(const Model& model);

/// Sums of x r (of r for the bias) over the weighted rows: half the numerators of the gradient;
/// nothing where the numbers spread over too many bits.
std::optional<std::vector<Dyadic>> aligned_gradient(const Model& model, const Places& places,
                                                    std::span<const WeightedRows> groups);
std::optional<Dyadic> aligned_loss(const Model& model, const Places& places,
                                   std::span<const WeightedRows> groups);

/// The same for any exponents.
std::vector<Dyadic> general_gradient(const Model& model, const Places& places,
                                     std::span<const WeightedRows> groups);
Dyadic general_loss(const Model& model, const Places& places, std::span<const WeightedRows> groups);

}  // namespace shardproof::exact
