#include <algorithm>

#include "subject/reducers/rank_sum.h"
#include "subject/reducers/rounded.h"

namespace shardproof {
namespace {

/// `root` adds up the values of ranks root + stride, root + 2 stride, ... below `end`, in order.
void gather_sum(RankSum sum, int root, int stride, int end) {
  auto& [ranks, accumulate, data] = sum;
  if (ranks.rank().index != root) {
    ranks.send<double>(Rank{root}, data.values);
    return;
  }
  for (int r = root + stride; r < end; r += stride) {
    ranks.receive<double>(Rank{r}, data.scratch);
    add_rounded(accumulate, data.values, 0, data.scratch);
  }
}

void broadcast(RankSum sum, int root, int stride, int end) {
  auto& [ranks, accumulate, data] = sum;
  if (ranks.rank().index != root) {
    ranks.receive<double>(Rank{root}, data.values);
    return;
  }
  for (int r = root + stride; r < end; r += stride) ranks.send<double>(Rank{r}, data.values);
}

}  // namespace

void sum_in_groups(RankSum sum, int group) {
  const int world = sum.ranks.world_size().value;
  const int me = sum.ranks.rank().index;
  const int leader = me - me % group;
  const int end = std::min(leader + group, world);
  gather_sum(sum, leader, 1, end);
  if (me == leader) {
    gather_sum(sum, 0, group, world);
    broadcast(sum, 0, group, world);
  }
  broadcast(sum, leader, 1, end);
}

}  // namespace shardproof
