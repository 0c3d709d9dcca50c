#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "shardproof/case/claim.h"
#include "shardproof/subject/outcome.h"

namespace shardproof {

/// [step][shard][micro-batch]
using AllContributions = std::vector<std::vector<std::vector<Contribution>>>;

/// What every rank hands to a reducer that claims `claim`.
AllContributions all_contributions(const Case& problem, const SharedShape& shape,
                                   const Claim& claim);

/// A case as these ranks get it, as one line with its end.
///
/// \param contributions  what they hand in; null: a train step's rows and parameters
/// \param ranks          below the world size of the case; may be empty
std::string case_message(std::uint64_t id, const Case& problem, const TreeShape& shape,
                         const Claim& claim, const AllContributions* contributions,
                         std::span<const int> ranks);

}  // namespace shardproof
