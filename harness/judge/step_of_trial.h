#pragma once

#include "shardproof/exact/bound.h"
#include "shardproof/judge/reference.h"
#include "shardproof/judge/trial.h"

namespace shardproof {

/// One step of a trial and what its references are made from.
struct StepOfTrial {
  const Trial& trial;
  int index;
  const Weights& handed_in;  ///< of the contributions
  const Weights& rows;       ///< of the sums over rows
  const Arithmetic& arithmetic;
  const ShardParameters& parameters;

  [[nodiscard]] const Case& problem() const { return *trial.problem; }
  [[nodiscard]] const Claim& claim() const { return *trial.claim; }
  [[nodiscard]] const Step& step() const {
    return problem().steps[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] const MicroBatch& micro_batch(std::size_t shard, std::size_t m) const {
    return step().shards[shard].micro_batches[m];
  }
};

}  // namespace shardproof
