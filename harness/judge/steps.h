#pragma once

#include <algorithm>
#include <vector>

#include "shardproof/subject/outcome.h"

namespace shardproof {

inline constexpr const char* kNoResult = "the subject returned no result to judge";

/// Whether `predicate` holds of any rank's result in any step.
template <class Predicate>
bool any_rank(const Returned& returned, Predicate predicate) {
  return std::any_of(returned.results.begin(), returned.results.end(),
                     [&](const std::vector<RankResult>& ranks) {
                       return std::any_of(ranks.begin(), ranks.end(), predicate);
                     });
}

}  // namespace shardproof
