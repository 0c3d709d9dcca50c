#pragma once

#include <span>
#include <vector>

#include "shardproof/judge/diagnose.h"

namespace shardproof {

/// Known mistakes that predict every wrong count, or every wrong norm, of the trials.
std::vector<Cause> causes_of_counts(std::span<const Trial> trials, std::size_t of_finding);
std::vector<Cause> causes_of_norms(std::span<const Trial> trials, std::size_t of_finding);

}  // namespace shardproof
