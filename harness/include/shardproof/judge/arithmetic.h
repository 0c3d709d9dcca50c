#pragma once

#include <cstdint>

#include "shardproof/case/claim.h"
#include "shardproof/exact/bound.h"

namespace shardproof {

/// The arithmetic that a claim allows for one step of a case (NUMERICS 1.4, amendments 2 and 3).
Arithmetic arithmetic_of(const Claim& claim, const Case& problem, const Step& step);

/// The largest value that every format on the way can hold.
double largest_value(const Claim& claim, const Case& problem);

}  // namespace shardproof
