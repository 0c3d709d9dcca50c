#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace shardproof {

/// One parameter array of a gradient tree: its name, its shape and where it stands in the flat
/// tree.
struct LeafShape {
  std::string name;        ///< `kernel`, `bias`; `layer1/kernel` where there are several layers
  int layer = 0;           ///< the layer it belongs to
  bool is_bias = false;    ///< [outputs] if so, else [features, outputs], row by row
  int rows = 1;            ///< features of a kernel, 1 of a bias
  int columns = 1;         ///< outputs of the layer
  std::size_t offset = 0;  ///< of its first element in the flat tree

  [[nodiscard]] std::size_t size() const {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  }
  friend bool operator==(const LeafShape&, const LeafShape&) = default;
};

/// The leaves of a tree, in order; they lie one behind the other without gaps.
struct TreeShape {
  std::vector<LeafShape> leaves;
  std::size_t size = 0;  ///< elements of all leaves together

  friend bool operator==(const TreeShape&, const TreeShape&) = default;
};

using SharedShape = std::shared_ptr<const TreeShape>;

/// A tree of parameter-shaped arrays: one flat vector, cut into leaves by its shape.
class Tree {
 public:
  Tree() = default;
  /// A tree of zeros.
  explicit Tree(SharedShape shape);
  /// \throws InputError  when `values` does not have as many elements as the shape
  Tree(SharedShape shape, std::vector<double> values);

  [[nodiscard]] const TreeShape& shape() const { return *shape_; }
  [[nodiscard]] const SharedShape& shared_shape() const { return shape_; }
  [[nodiscard]] bool has_shape() const { return shape_ != nullptr; }
  [[nodiscard]] std::span<double> values() { return values_; }
  [[nodiscard]] std::span<const double> values() const { return values_; }
  [[nodiscard]] std::span<double> leaf(std::size_t index);
  [[nodiscard]] std::span<const double> leaf(std::size_t index) const;

 private:
  SharedShape shape_;
  std::vector<double> values_;
};

/// The first element whose bits differ: -0 equals +0 and all NaN are equal. `a.size()` when none
/// does. \pre both spans have the same length
std::size_t first_difference(std::span<const double> a, std::span<const double> b);

/// `kernel[2,1]` for an element of a flat tree.
std::string element_name(const TreeShape& shape, std::size_t element);

}  // namespace shardproof
