#include "subject/reducers/exchange.h"

namespace shardproof {

void sum_over_ranks(const Strategy& strategy, Exchange exchange) {
  switch (strategy.topology) {
    case Topology::sequential:
      return sum_from_slots(exchange, strategy.first_rank);
    case Topology::own_rank_first:
      return sum_from_slots(exchange, exchange.ranks.rank().index);
    case Topology::tree:
      return sum_pairwise_from_slots(exchange);
    case Topology::ring:
      return sum_around_ring(exchange);
    case Topology::halving_doubling:
      return sum_by_halving_doubling(exchange);
    case Topology::hierarchical:
      return sum_in_groups(exchange, strategy.group);
  }
}

}  // namespace shardproof
