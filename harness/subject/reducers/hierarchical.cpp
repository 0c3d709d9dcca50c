#include <algorithm>

#include "subject/reducers/exchange.h"
#include "subject/reducers/rounded.h"

namespace shardproof {
namespace {

/// `root` adds up the values of ranks root + stride, root + 2 stride, ... below `end`, in order.
void gather_sum(Exchange exchange, int root, int stride, int end) {
  auto& [ranks, accumulate, data] = exchange;
  if (ranks.rank().index != root) {
    ranks.send<double>(Rank{root}, data.values);
    return;
  }
  for (int r = root + stride; r < end; r += stride) {
    ranks.receive<double>(Rank{r}, data.scratch);
    add_rounded(accumulate, data.values, 0, data.scratch);
  }
}

void broadcast(Exchange exchange, int root, int stride, int end) {
  auto& [ranks, accumulate, data] = exchange;
  if (ranks.rank().index != root) {
    ranks.receive<double>(Rank{root}, data.values);
    return;
  }
  for (int r = root + stride; r < end; r += stride) ranks.send<double>(Rank{r}, data.values);
}

}  // namespace

void sum_in_groups(Exchange exchange, int group) {
  const int world = exchange.ranks.world_size().value;
  const int me = exchange.ranks.rank().index;
  const int leader = me - me % group;
  const int end = std::min(leader + group, world);
  gather_sum(exchange, leader, 1, end);
  if (me == leader) {
    gather_sum(exchange, 0, group, world);
    broadcast(exchange, 0, group, world);
  }
  broadcast(exchange, leader, 1, end);
}

}  // namespace shardproof
