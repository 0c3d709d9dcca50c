#pragma once

#include <vector>

#include "shardproof/generators/cases.h"

namespace shardproof {

/// Small cases that are simpler than `bound` and of its dtype, a few of each size: where nothing
/// can be shrunk, one of them may be the counterexample.
std::vector<Case> small_bases(const Claim& claim, const DrawOptions& options, const Case& bound);

}  // namespace shardproof
