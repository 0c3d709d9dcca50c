#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "shardproof/case/small_cases.h"
#include "shardproof/run/run.h"

namespace shardproof {

/// What executing every simpler case of a small domain showed about a shrunk one.
struct Minimality {
  std::int64_t cases = 0;       ///< of the domain, simpler and inside the claim; all executed
  std::int64_t executions = 0;  ///< those of the property's related cases among them
  /// The first that fails the same property in the same kind: the shrunk case is not minimal.
  std::optional<Sighting> simpler;
  bool complete = false;  ///< none is left to execute
};

struct MinimalityOptions {
  SmallDomain domain{};
  Limits limits{};
  std::function<bool()> stop{};  ///< asked between executions; may be empty
};

/// Executes all cases of the domain that are simpler than `minimal`, until one fails as it does.
Minimality prove_minimal(Subject& subject, const Property& property, const Sighting& minimal,
                         const MinimalityOptions& options);

}  // namespace shardproof
