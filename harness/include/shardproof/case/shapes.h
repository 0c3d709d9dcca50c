#pragma once

#include <optional>
#include <string>

#include "shardproof/case/case.h"

namespace shardproof {

/// Sizes from `low` to `high`, both included.
struct SizeRange {
  int low = 1;
  int high = 1;

  [[nodiscard]] bool holds(int size) const { return low <= size && size <= high; }
  friend bool operator==(const SizeRange&, const SizeRange&) = default;
};

/// Whether layers have a bias.
enum class Biases { any, yes, no };

/// The shapes of cases that a subject takes; those of a compiled one are few. Each is any by
/// default.
struct Shapes {
  SizeRange rows{0, kMaxRows};  ///< of a micro-batch, padding included
  SizeRange micro_batches{1, kMaxMicroBatches};
  SizeRange features{1, kMaxFeatures};
  SizeRange outputs{1, kMaxOutputs};  ///< of each layer
  SizeRange layers{1, kMaxLayers};
  SizeRange steps{1, kMaxSteps};
  Biases biases = Biases::any;
  bool absent = true;  ///< layers may be absent from a micro-batch

  friend bool operator==(const Shapes&, const Shapes&) = default;
};

/// \return why `problem` is of no such shape, or nothing when it is
std::optional<std::string> outside_of(const Shapes& shapes, const Case& problem);

/// Whether cases of all shapes are taken.
inline bool all_shapes(const Shapes& shapes) { return shapes == Shapes{}; }

}  // namespace shardproof
