#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "shardproof/case/claim.h"
#include "subject/all_contributions.h"

namespace shardproof {

/// A case as these ranks get it, as one line with its end.
///
/// \param contributions  what they hand in; null: a train step's rows and parameters
/// \param ranks          below the world size of the case; may be empty
std::string case_message(std::uint64_t id, const Case& problem, const TreeShape& shape,
                         const Claim& claim, const AllContributions* contributions,
                         std::span<const int> ranks);

}  // namespace shardproof
