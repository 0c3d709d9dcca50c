#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "shardproof/case/dtype.h"
#include "shardproof/case/tree.h"
#include "shardproof/case/types.h"

namespace shardproof {

/// One linear layer: a kernel [features, outputs] and, unless switched off, a bias [outputs].
struct Layer {
  int outputs = 1;
  bool bias = true;
  friend bool operator==(const Layer&, const Layer&) = default;
};

/// Linear layers side by side over the same features, and their parameters now.
///
/// The loss is the mean over valid rows and outputs of (x W + b - y)^2.
struct Model {
  int features = 1;
  std::vector<Layer> layers;  ///< at least one
  std::vector<double>
      parameters;  ///< flat, in the order of `tree_shape`: kernel, bias, kernel, ...

  [[nodiscard]] int outputs() const;  ///< of all layers together: the columns of y
  friend bool operator==(const Model&, const Model&) = default;
};

/// The leaves of the model's parameters (and so of its gradient).
SharedShape tree_shape(const Model& model);

/// Rows that a rank evaluates at once.
///
/// Masked-out rows are padding: what stands in them is garbage that must not reach a result. A
/// layer that is absent is not evaluated for these rows: they add nothing to its leaves nor to the
/// loss, while every divisor (rows, outputs) stays as it is.
struct MicroBatch {
  std::vector<double> x;             ///< [rows, features], row by row
  std::vector<double> y;             ///< [rows, outputs], row by row
  std::vector<std::uint8_t> mask;    ///< [rows], 1 keeps a row, 0 is padding
  std::vector<std::uint8_t> absent;  ///< [layers], 1 where the layer is unused; empty: all are used

  [[nodiscard]] int rows() const { return static_cast<int>(mask.size()); }
  [[nodiscard]] ValidCount valid() const;
  [[nodiscard]] bool is_absent(int layer) const {
    return !absent.empty() && absent[static_cast<std::size_t>(layer)] != 0;
  }
};

/// The rows of one data shard in one step. Every shard of a step has as many micro-batches.
struct Shard {
  std::vector<MicroBatch> micro_batches;

  [[nodiscard]] ValidCount valid() const;
};

/// One optimiser step; its true batch is the union of all valid rows.
struct Step {
  std::vector<Shard> shards;  ///< one a rank of the data axis

  [[nodiscard]] ValidCount valid() const;
  [[nodiscard]] int micro_batches() const {
    return static_cast<int>(shards.front().micro_batches.size());
  }
};

/// A named axis of the device mesh.
struct Axis {
  std::string name;
  int size = 1;
  friend bool operator==(const Axis&, const Axis&) = default;
};

/// How ranks are arranged. Now one axis, `data`: rank r holds data shard r, leaves are replicated.
struct Mesh {
  std::vector<Axis> axes{{"data", 1}};

  [[nodiscard]] WorldSize world_size() const;
  /// The data shard that `rank` evaluates.
  [[nodiscard]] int data_shard(Rank rank) const { return rank.index; }
  friend bool operator==(const Mesh&, const Mesh&) = default;
};

/// Contributions to use instead of computing them: kept in saved counterexamples, since another
/// machine or library may round the local gradients in another way.
struct GivenContributions {
  struct Item {
    std::vector<double> gradient;  ///< flat tree
    double loss = 0;
    friend bool operator==(const Item&, const Item&) = default;
  };
  std::vector<std::vector<std::vector<Item>>> items;  ///< [step][shard][micro-batch]
  friend bool operator==(const GivenContributions&, const GivenContributions&) = default;
};

/// Everything that one trial depends on, by value.
struct Case {
  Model model;
  std::vector<Step> steps;
  Mesh mesh;
  Dtype dtype = Dtype::f32;    ///< of storage and computation
  double learning_rate = 0.5;  ///< representable in `dtype`; units of parameter^2 per loss
  std::vector<int> arrival;    ///< ranks in the order of their first call; empty: any order
  std::shared_ptr<const GivenContributions> given;  ///< usually none: computed from the rows

  [[nodiscard]] WorldSize world_size() const { return mesh.world_size(); }
};

/// Equal to the last bit: -0 differs from +0, NaN equals NaN of the same bits.
bool operator==(const Case& a, const Case& b);

using SharedCase = std::shared_ptr<const Case>;

/// The largest sizes that a case may have; larger ones are refused.
inline constexpr int kMaxWorldSize = 64;
inline constexpr int kMaxSteps = 64;
inline constexpr int kMaxMicroBatches = 256;
inline constexpr int kMaxRows = 1 << 20;  // of one micro-batch
inline constexpr int kMaxFeatures = 1 << 16;
inline constexpr int kMaxLayers = 256;
inline constexpr int kMaxOutputs = 1 << 16;                          // of one layer
inline constexpr std::int64_t kMaxElements = std::int64_t{1} << 24;  // of the tree, and of all rows

/// Checks that the case is consistent: sizes, shapes, values of valid rows and parameters finite
/// and representable in `dtype`, padded values representable, `arrival` empty or a permutation.
/// A step may have no valid row at all.
/// \throws InputError  naming the first inconsistency, such as
///                     `steps[0].shards[2].micro_batches[0]: mask has 3 entries, x has 4 rows`
void validate(const Case& problem);

}  // namespace shardproof
