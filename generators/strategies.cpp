#include "shardproof/generators/strategies.h"

#include <algorithm>
#include <tuple>

namespace shardproof {
namespace {

/// Position in the list of names; the default is 0, whatever its place there.
template <class Part>
int place(Part part, Part usual, std::span<const Part> all) {
  if (part == usual) return 0;
  return 1 + static_cast<int>(std::find(all.begin(), all.end(), part) - all.begin());
}

struct Places {
  int topology;
  int scaling;
  int accumulate;
};

Places places(const Strategy& strategy) {
  const Strategy usual;
  return {place(strategy.topology, usual.topology, named_topologies()),
          place(strategy.scaling, usual.scaling, named_scalings()),
          strategy.accumulate ? place(*strategy.accumulate, all_dtypes().front(), all_dtypes()) + 1
                              : 0};
}

std::tuple<int, int, int, int> key(const Strategy& strategy) {
  const Places at = places(strategy);
  const int unusual =
      (at.topology != 0 ? 1 : 0) + (at.scaling != 0 ? 1 : 0) + (at.accumulate != 0 ? 1 : 0);
  return {unusual, at.topology, at.scaling, at.accumulate};
}

}  // namespace

Strategy draw_strategy(Source& source) {
  Strategy strategy;
  strategy.topology = source.pick(named_topologies());
  strategy.scaling = source.pick(named_scalings());
  if (source.chance(1, 2)) strategy.accumulate = source.pick(all_dtypes());
  return strategy;
}

bool is_simpler(const Strategy& a, const Strategy& b) { return key(a) < key(b); }

void for_each_simpler(const Strategy& strategy, const std::function<bool(Strategy)>& visit) {
  const auto offer = [&](Strategy simpler) {
    return !is_simpler(simpler, strategy) || visit(simpler);
  };
  const Strategy usual;
  if (!offer(usual)) return;
  Strategy simpler = strategy;
  simpler.accumulate.reset();
  if (!offer(simpler)) return;
  for (const Scaling scaling : named_scalings()) {
    simpler = strategy;
    simpler.scaling = scaling;
    if (!offer(simpler)) return;
  }
  for (const Topology topology : named_topologies()) {
    simpler = strategy;
    simpler.topology = topology;
    if (!offer(simpler)) return;
  }
}

}  // namespace shardproof
