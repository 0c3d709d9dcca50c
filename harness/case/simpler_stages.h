#pragma once

#include <functional>

#include "shardproof/case/case.h"

namespace shardproof {

/// The kinds of change that make a case simpler, in the documented order: stage 0 are the smallest
/// cases there are, then fewer steps, ranks, ...
inline constexpr int kSimplerStages = 11;

/// As `for_each_simpler`, one stage only.
/// \return false once `visit` did
bool for_each_simpler_of_stage(const Case& problem, int stage,
                               const std::function<bool(Case)>& visit);

}  // namespace shardproof
