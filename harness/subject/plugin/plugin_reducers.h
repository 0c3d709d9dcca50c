#pragma once

#include <memory>

#include "shardproof/subject/reducer.h"
#include "shardproof/subject/train_step.h"
#include "subject/plugin/plugin_trial.h"

namespace shardproof {

/// One rank's side of a plug-in of each kind.
std::unique_ptr<Reducer> collective_reducer(std::unique_ptr<PluginRank> rank, const Claim& claim);
std::unique_ptr<Reducer> hook_reducer(std::unique_ptr<PluginRank> rank, const Claim& claim);
std::unique_ptr<Reducer> tree_reducer(std::unique_ptr<PluginRank> rank);
std::unique_ptr<TrainStep> plugin_train_step(std::unique_ptr<PluginRank> rank);

/// What a collective or a hook is asked for under a claim. \pre check_fits(kind, claim)
std::int32_t op_of(const Claim& claim);

}  // namespace shardproof
