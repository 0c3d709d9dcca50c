#include "shardproof/case/tree.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "shardproof/case/error.h"

namespace shardproof {

Tree::Tree(SharedShape shape) : shape_(std::move(shape)), values_(shape_->size, 0.0) {}

Tree::Tree(SharedShape shape, std::vector<double> values)
    : shape_(std::move(shape)), values_(std::move(values)) {
  if (values_.size() != shape_->size) {
    throw InputError("tree", "has " + std::to_string(values_.size()) + " values, its shape has " +
                                 std::to_string(shape_->size));
  }
}

std::span<double> Tree::leaf(std::size_t index) {
  const LeafShape& leaf = shape_->leaves.at(index);
  return std::span(values_).subspan(leaf.offset, leaf.size());
}

std::span<const double> Tree::leaf(std::size_t index) const {
  const LeafShape& leaf = shape_->leaves.at(index);
  return std::span(values_).subspan(leaf.offset, leaf.size());
}

std::size_t first_difference(std::span<const double> a, std::span<const double> b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    // Numbers that compare equal have equal bits but for the sign of zero, which is allowed.
    if (a[i] != b[i] && !(std::isnan(a[i]) && std::isnan(b[i]))) return i;
  }
  return a.size();
}

std::string element_name(const TreeShape& shape, std::size_t element) {
  const auto after =
      std::upper_bound(shape.leaves.begin(), shape.leaves.end(), element,
                       [](std::size_t e, const LeafShape& leaf) { return e < leaf.offset; });
  const LeafShape& leaf = *std::prev(after);
  const std::size_t within = element - leaf.offset;
  if (leaf.is_bias) return leaf.name + "[" + std::to_string(within) + "]";
  const auto columns = static_cast<std::size_t>(leaf.columns);
  return leaf.name + "[" + std::to_string(within / columns) + "," +
         std::to_string(within % columns) + "]";
}

}  // namespace shardproof
