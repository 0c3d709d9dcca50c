#pragma once

#include <cstddef>

#include "shardproof/subject/fault.h"

namespace shardproof {

/// Whether the trigger holds for a rank's step, apart from micro-batches and elements.
bool touches_step(const Trigger& trigger, const ReducerSetup& rank, int step);

/// Whether it holds for a contribution.
bool touches(const Trigger& trigger, const ReducerSetup& rank, const Contribution& contribution);

/// Whether it holds for an element of the gradient.
bool touches_element(const Trigger& trigger, const ReducerSetup& rank, std::size_t leaf,
                     std::size_t element);

}  // namespace shardproof
