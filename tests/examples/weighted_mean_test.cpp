// The gradient of the mean loss over all valid rows, by a ring all-reduce of one's own.

#include <cstdint>

#include "ring_all_reduce.h"
#include "shardproof/properties/gtest.h"
#include "shardproof/subject/typed.h"

namespace {

/// \param gradient  in: the mean over this rank's rows; out: the mean over the rows of all ranks
void weighted_mean(shardproof::Communicator& ranks, std::span<float> gradient,
                   shardproof::ValidCount mine) {
  for (float& g : gradient) g *= static_cast<float>(mine.value);
  ring_all_reduce(ranks, gradient);

  std::int64_t rows = 0;
  for (std::int64_t count : ranks.all_gather<std::int64_t>({&mine.value, 1})) rows += count;
  if (rows == 0) throw shardproof::Decline("no rank has a valid row");
  for (float& g : gradient) g /= static_cast<float>(rows);
}

SHARDPROOF_CHECK(WeightedMean, shardproof::per_rank<float>("weighted mean", {}, weighted_mean));

}  // namespace
