#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "shardproof/case/claim.h"
#include "shardproof/subject/outcome.h"

namespace shardproof {

/// [step][shard][micro-batch]
using AllContributions = std::vector<std::vector<std::vector<Contribution>>>;

/// What every rank hands to a reducer, in all steps.
///
/// \param gradient  the dtype of their values; nothing: the case's
AllContributions all_contributions(const Case& problem, InputForm form,
                                   std::optional<Dtype> gradient);

/// The same as a part of a case.
std::shared_ptr<const GivenContributions> given(const AllContributions& contributions);

}  // namespace shardproof
