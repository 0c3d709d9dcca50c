#pragma once

#include <optional>
#include <string>
#include <vector>

#include "judge/evidence.h"

namespace shardproof {

/// Whether a formula predicts a value, and whether the reference accepts it.
struct Fit {
  bool formula = false;
  bool reference = false;
};

/// Where a formula holds, while everything else is right.
struct Confinement {
  int conditions = 0;  ///< 0: everywhere; a simpler explanation has fewer
  std::string text;    ///< `only biases, kernels are right`; empty: everywhere
};

/// The simplest set of results such that the formula predicts every value in it and the reference
/// accepts every value outside: by leaf, rank, step, world, or what the rows are like; by two of
/// these where one is not enough.
///
/// \param fits  of the values of the evidence, in their order
/// \return      nothing where no such set is known
std::optional<Confinement> confinement(const Evidence& evidence, const std::vector<Fit>& fits);

}  // namespace shardproof
