#pragma once

#include <optional>
#include <span>

#include "shardproof/subject/outcome.h"
#include "shardproof/subject/train_step.h"

namespace shardproof {

/// The first element in which a subject left its own copy of a contribution otherwise than it was
/// handed in.
std::optional<InputChange> first_change(const Contribution& handed_in, const Contribution& left,
                                        Rank rank);

/// The same for the inputs of a train step.
std::optional<InputChange> first_change(const Model& model,
                                        std::span<const MicroBatch> micro_batches,
                                        std::span<const double> parameters, double learning_rate,
                                        const TrainInput& left, Rank rank);

/// Whether `tree` can be read as one of `shape`.
bool fits(const Tree& tree, const TreeShape& shape);
/// `returned a tree of 3 elements instead of 4`.
std::string misfit(const char* what, const Tree& tree, const TreeShape& shape);

}  // namespace shardproof
