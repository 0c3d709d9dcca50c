#pragma once

#include <cstdint>

#include "exact/magnitude.h"
#include "shardproof/exact/bound.h"

namespace shardproof {

/// An upper bound of a reduction's error that is linear in the sums of its terms: the largest of
/// them in each coefficient, so that it can be evaluated for many elements at once.
struct LinearBound {
  Magnitude magnitude;  ///< of W, the sum of all magnitudes
  Magnitude larger;     ///< of M, the larger one-signed sum
  Magnitude total;      ///< of |E|, the magnitude of the whole sum
  Magnitude constant;   ///< underflow; in units of the result

  [[nodiscard]] Magnitude at(Magnitude w, Magnitude m, Magnitude e) const {
    return magnitude * w + larger * m + total * e + constant;
  }
};

/// Two bounds of the reduction of `terms` terms, both of which hold (NUMERICS 1.3).
struct LinearBounds {
  LinearBound by_count;
  LinearBound by_grid;  ///< the same as `by_count` where only that is proved
};

LinearBounds linear_bounds(const Arithmetic& arithmetic, std::int64_t terms);

}  // namespace shardproof
