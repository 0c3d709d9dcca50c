#pragma once

#include <vector>

#include "shardproof/subject/reducer.h"

namespace shardproof {

/// The mean gradient of one rank's valid rows over its micro-batches of a step, each operation
/// rounded: what a rank has before any reduction. Zeros where it has no valid row.
class OwnMean {
 public:
  explicit OwnMean(const ReducerSetup& setup) : dtype_(setup.dtype), mean_(setup.shape->size) {}

  void add(const Contribution& contribution);
  [[nodiscard]] const std::vector<double>& mean() const { return mean_; }
  [[nodiscard]] double count() const { return count_; }

 private:
  Dtype dtype_;
  double count_ = 0;
  std::vector<double> mean_;
};

}  // namespace shardproof
