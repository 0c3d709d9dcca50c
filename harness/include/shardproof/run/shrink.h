#pragma once

#include "shardproof/run/run.h"

namespace shardproof {

struct Shrunk {
  Sighting minimal;
  int executions = 0;
  bool complete = false;  ///< every simpler case tried from the minimal one passes
};

/// Searches from `start` for the simplest case inside the claim on which `property` fails in the
/// same kind, in the documented order, until none simpler does or the budget is spent.
Shrunk shrink(Subject& subject, const Property& property, const Sighting& start, int budget,
              const Limits& limits, const std::function<bool()>& stop);

}  // namespace shardproof
