#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shardproof/case/claim.h"
#include "shardproof/subject/outcome.h"

namespace shardproof {

/// A rank's micro-batches as one gradient, for plug-ins that take one buffer a step: means joined
/// to their weighted mean, sums to their sum, each operation rounded to the dtype of what is handed
/// in.
class JoinedMicroBatches {
 public:
  JoinedMicroBatches(const Claim& claim, Dtype dtype);

  void add(const Contribution& one);
  /// Of all since the last call. One that stands alone is handed on as it is.
  std::vector<double> take();

 private:
  Dtype dtype_;
  bool weighted_;
  std::vector<double> sums_;
  std::int64_t valid_ = 0;
  int added_ = 0;
};

}  // namespace shardproof
