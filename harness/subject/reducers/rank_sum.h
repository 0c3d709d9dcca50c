#pragma once

#include <vector>

#include "shardproof/subject/strategy.h"

namespace shardproof {

/// One rank's terms, and room for those of others; both keep their memory between steps.
struct SumBuffers {
  std::vector<double> values;   ///< [count, loss, gradient...]: in: own terms; out: their sums
  std::vector<double> scratch;  ///< as long as `values` where messages are received
};

/// What every topology needs to know.
struct RankSum {
  Communicator& ranks;
  Dtype accumulate;  ///< every sum is rounded to it before it is used or sent
  SumBuffers& data;
};

void sum_from_slots(RankSum sum, int first_rank);
void sum_pairwise_from_slots(RankSum sum);
void sum_around_ring(RankSum sum);
void sum_by_halving_doubling(RankSum sum);
void sum_in_groups(RankSum sum, int group);

/// Adds up all ranks' values in the way of the strategy.
void sum_over_ranks(const Strategy& strategy, RankSum sum);

}  // namespace shardproof
