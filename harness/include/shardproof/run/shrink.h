#pragma once

#include <functional>

#include "shardproof/run/run.h"

namespace shardproof {

struct Shrunk {
  Sighting minimal;
  int executions = 0;
  bool complete = false;  ///< every simpler case tried from the minimal one passes
};

struct ShrinkOptions {
  int budget = 2000;  ///< executions
  Limits limits = {};
  std::function<bool()> stop = {};               ///< asked between executions; may be empty
  std::function<bool(const Case&)> admits = {};  ///< beside the claim; may be empty: every case
  /// For a failure that does not show in every execution: a case fails where most of five
  /// executions do, and may be tried again.
  bool by_majority = false;
};

/// Searches from `start` for the simplest case inside the claim on which `property` fails in the
/// same kind, in the documented order, until none simpler does or the budget is spent.
Shrunk shrink(Subject& subject, const Property& property, const Sighting& start,
              const ShrinkOptions& options);

}  // namespace shardproof
