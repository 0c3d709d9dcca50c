#pragma once

#include "shardproof/exact/bound.h"

namespace shardproof {

/// The parts of `reduction_bound`, each rounded up: B = kappa W + H + additions.
struct BoundParts {
  double kappa = 0;      ///< by how much the roundings of a term may enlarge it, as a share
  double underflow = 0;  ///< H
  double additions = 0;  ///< of terms that are rounded already
  bool by_grid =
      false;         ///< whether the size of partial sums bounds the additions, not their number
  double total = 0;  ///< B
};
BoundParts bound_parts(const Arithmetic& arithmetic, const TermSums& sums);

}  // namespace shardproof
