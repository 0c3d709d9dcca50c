#pragma once

#include <string>
#include <vector>

#include "judge/evidence.h"

namespace shardproof {

/// What single micro-batches weigh in the results, measured on cases of the shape of the first
/// trial where no other one has a gradient, and what these weights leave unexplained in the first
/// trial. Sentences; none where nothing was measured.
std::vector<std::string> measured_weights(const Evidence& evidence);

}  // namespace shardproof
