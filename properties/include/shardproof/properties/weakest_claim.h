#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "shardproof/properties/suite.h"

namespace shardproof {

/// A field of a claim that has to be weaker than the strongest that there is.
struct Weakening {
  std::string words;       ///< `equal shards`
  std::string setting;     ///< `conditions=equal`
  std::string refutation;  ///< of the claim that is stronger in this field alone, in one sentence
};

/// A claim that no single field can make stronger without a refutation.
struct WeakestClaim {
  Claim claim;
  std::vector<Weakening> weakenings;
};

struct WeakestClaims {
  /// One for each target that the subject can be said to have, the one with the fewest weakenings
  /// first; empty where it is refuted under all.
  std::vector<WeakestClaim> claims;
  std::string refutation;  ///< where it is refuted under all weakenings together
  int executions = 0;
};

struct WeakestClaimOptions {
  int cases = 300;  ///< for each claim that is tried
  std::uint64_t seed = 0;
  DrawOptions draw{};
  Limits limits{};
};

/// Puts all weakenings of the strongest claim in, then takes them out one after another while
/// nothing is refuted. What is claimed stays within the worlds and the input form of the subject's
/// own claim. \throws InputError  when the subject hangs, so that nothing more can be tried
WeakestClaims weakest_claims(std::unique_ptr<Subject> subject, const WeakestClaimOptions& options);

}  // namespace shardproof
