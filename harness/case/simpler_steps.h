#pragma once

#include <functional>
#include <vector>

#include "shardproof/case/case.h"

namespace shardproof {

/// Takes a candidate; false ends the search. Candidates need not be simpler than the problem: what
/// is not simpler is dropped by the taker.
using Offer = std::function<bool(Case)>;

/// The smallest cases there are, simplest first, in the dtype of `problem`: of a few fixed sizes,
/// and of the sizes of `problem`.
std::vector<Case> templates(const Case& problem);

/// Each offers changes of one kind, the boldest first, and returns false once `offer` did.
bool offer_fewer_steps(const Case& problem, const Offer& offer);
bool offer_fewer_ranks(const Case& problem, const Offer& offer);
bool offer_fewer_micro_batches(const Case& problem, const Offer& offer);
bool offer_fewer_rows(const Case& problem, const Offer& offer);
bool offer_fewer_leaves(const Case& problem, const Offer& offer);
bool offer_fewer_outputs(const Case& problem, const Offer& offer);
bool offer_fewer_features(const Case& problem, const Offer& offer);
bool offer_simpler_counts(const Case& problem, const Offer& offer);
bool offer_simpler_values(const Case& problem, const Offer& offer);
bool offer_simpler_order(const Case& problem, const Offer& offer);

}  // namespace shardproof
