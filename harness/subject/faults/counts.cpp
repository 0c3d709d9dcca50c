#include "subject/faults/counts.h"

#include <algorithm>

namespace shardproof {
namespace {

std::uint64_t rows_of(const StepCounts& step) {
  std::uint64_t rows = 0;
  for (const auto& shard : step.shards) {
    for (const BatchCount& batch : shard) rows += batch.rows;
  }
  return rows;
}

std::uint64_t ranks_with_rows(const StepCounts& step) {
  std::uint64_t ranks = 0;
  for (std::size_t r = 0; r < step.shards.size(); ++r) ranks += step.valid_of(r) > 0 ? 1 : 0;
  return ranks;
}

std::uint64_t batches_with_rows(const StepCounts& step) {
  std::uint64_t batches = 0;
  for (const auto& shard : step.shards) {
    for (const BatchCount& batch : shard) batches += batch.valid > 0 ? 1 : 0;
  }
  return batches;
}

}  // namespace

std::uint64_t StepCounts::valid_of(std::size_t shard) const {
  std::uint64_t valid = 0;
  for (const BatchCount& batch : shards[shard]) valid += batch.valid;
  return valid;
}

std::uint64_t StepCounts::valid() const {
  std::uint64_t all = 0;
  for (std::size_t r = 0; r < shards.size(); ++r) all += valid_of(r);
  return all;
}

void StepCounts::follow(const StepCounts& before) {
  largest_batch = std::max(before.largest_batch, valid());
  valid_so_far = before.valid_so_far + valid();
}

std::uint64_t value_of(Count count, const StepCounts& step, const TermPlace& at) {
  const std::uint64_t ranks = step.shards.size();
  switch (count) {
    case Count::ranks:
      return ranks;
    case Count::micro_batches:
      return step.shards[at.shard].size();
    case Count::valid:
      return step.shards[at.shard][at.micro_batch].valid;
    case Count::valid_of_rank:
      return step.valid_of(at.shard);
    case Count::valid_of_all:
      return step.valid();
    case Count::own_valid:
      return step.valid_of(at.own);
    case Count::own_variance_divisor:
      return std::max<std::uint64_t>(ranks * step.valid_of(at.own), 1) - 1;
    case Count::rows:
      return step.shards[at.shard][at.micro_batch].rows;
    case Count::rows_of_all:
      return rows_of(step);
    case Count::ranks_with_rows:
      return ranks_with_rows(step);
    case Count::micro_batches_with_rows:
      return batches_with_rows(step);
    case Count::leaf_size:
      return at.leaf_size;
    case Count::largest_batch:
      return step.largest_batch;
    case Count::valid_so_far:
      return step.valid_so_far;
    case Count::whole_share:
      return step.valid() / ranks;
    case Count::pairs_of_ranks:
      return (ranks + 1) / 2;
    case Count::leaves:
      return at.leaves;
  }
  return 1;
}

}  // namespace shardproof
