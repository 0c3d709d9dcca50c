#pragma once

#include <functional>

#include "shardproof/case/case.h"

namespace shardproof {

/// All cases up to these sizes, with every value -1, 0 or 1: steps with a valid row each, one
/// feature and one output a layer, but for a single kernel also two of either; rows valid or
/// padding in any order, of two layers one unused or not; the learning rate is the simplest one.
struct SmallDomain {
  int steps = 2;
  int ranks = 3;
  int micro_batches = 2;  ///< of a step
  int rows = 2;           ///< of the whole case
  int leaves = 2;         ///< at most 2
  bool arrivals = false;  ///< every order of arrival, and not only none
};

/// Hands every case of the domain that is strictly simpler than `bound`, and of its dtype, to
/// `visit`, sizes in ascending order, until that returns false. Every one is valid.
void for_each_small_case(const SmallDomain& domain, const Case& bound,
                         const std::function<bool(const Case&)>& visit);

}  // namespace shardproof
