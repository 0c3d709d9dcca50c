#pragma once

#include <string>
#include <vector>

#include "judge/element.h"
#include "shardproof/judge/reference.h"
#include "shardproof/judge/trial.h"

namespace shardproof {

/// What one step's results are compared with. Elements of the flat tree come first, the loss is
/// last.
struct StepReferences {
  std::string unjudged;  ///< why the step is not judged; empty when it is
  Arithmetic arithmetic;
  ShardParameters parameters;                ///< at which each shard was evaluated
  std::vector<ElementReference> alone;       ///< from the contributions; empty for train steps
  std::vector<ElementReference> end_to_end;  ///< from the rows
};

struct TrialReferences {
  std::vector<StepReferences> steps;
};

/// \pre the outcome is Returned
TrialReferences references_of(const Trial& trial);

/// The parameters from which `rank` started a step: the model's, or those it returned before.
std::span<const double> parameters_before(const Trial& trial, const Returned& returned, int step,
                                          int rank);

}  // namespace shardproof
