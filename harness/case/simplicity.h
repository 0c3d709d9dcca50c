#pragma once

#include <cstdint>
#include <vector>

#include "shardproof/case/case.h"
#include "shardproof/case/simpler.h"

namespace shardproof {

/// The sort key of a case, borrowed: it must not outlive the case.
///
/// Sizes are compared first, then how rows lie on shards, then values, then the rest. Whatever is
/// compared has its last entry compared first, so that of two cases with the same entries the one
/// whose rows and numbers stand further in front is simpler. The sizes fix the length of all that
/// follows, and every entry is a natural number: so no descent is infinite.
class Simplicity {
 public:
  explicit Simplicity(const Case& problem);

  friend bool operator<(const Simplicity& a, const Simplicity& b);

 private:
  const Case* problem_;
  std::vector<std::uint64_t> structure_;
};

/// How simple a value is: 0 < 1 < -0 < -1 < 2 < -2 < ... < fractions of few significant bits
/// < ... < what is not finite. Different values may share a rank when they have the same number of
/// significant bits.
std::uint64_t value_rank(double value);

/// 0.25: at 1 and at 0.5 a step on one row x = y = 1 from w = 0 hides mistakes, for it ends at the
/// mirror image of the start or at the minimum.
inline constexpr double kSimplestLearningRate = 0.25;

}  // namespace shardproof
