#include "subject/reducers/rank_sum.h"

namespace shardproof {

void sum_over_ranks(const Strategy& strategy, RankSum sum) {
  switch (strategy.topology) {
    case Topology::sequential:
      return sum_from_slots(sum, strategy.first_rank);
    case Topology::own_rank_first:
      return sum_from_slots(sum, sum.ranks.rank().index);
    case Topology::tree:
      return sum_pairwise_from_slots(sum);
    case Topology::ring:
      return sum_around_ring(sum);
    case Topology::halving_doubling:
      return sum_by_halving_doubling(sum);
    case Topology::hierarchical:
      return sum_in_groups(sum, strategy.group);
  }
}

}  // namespace shardproof
