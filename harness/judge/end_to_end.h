#pragma once

#include <vector>

#include "judge/element.h"
#include "judge/step_of_trial.h"

namespace shardproof {

/// End to end, from the rows (NUMERICS 1.7 then 1.3, amendments 9 and 10). Tree elements, then the
/// loss.

/// A reducer: the bound of its own arithmetic over its actual inputs, and how far those may be off.
std::vector<ElementReference> references_of_reducer(const StepOfTrial& at,
                                                    const std::vector<ElementReference>& alone);

/// A train step, which sees the rows: local gradients then a reduction, or one sum over all rows.
std::vector<ElementReference> references_of_train_step(const StepOfTrial& at);

}  // namespace shardproof
