#pragma once

#include <vector>

#include "judge/element.h"
#include "judge/step_of_trial.h"
#include "shardproof/subject/outcome.h"

namespace shardproof {

/// The reducer alone: its actual inputs taken as exact (NUMERICS 1.3, 1.6). Tree elements, then the
/// loss. \param contributions  [shard][micro-batch]
std::vector<ElementReference> references_from_contributions(
    const StepOfTrial& at, const std::vector<std::vector<Contribution>>& contributions);

}  // namespace shardproof
