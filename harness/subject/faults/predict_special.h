#pragma once

#include "subject/faults/predict_step.h"

namespace shardproof {

/// What values no weights make; nothing where it depends on contributions that are not known.
/// \param right  the right result
std::optional<Prediction> predict_special(Special special, const PredictedStep& at,
                                          std::optional<Prediction> right);

}  // namespace shardproof
