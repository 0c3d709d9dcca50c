#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "shardproof/case/claim.h"
#include "shardproof/subject/reducer.h"

namespace shardproof {

/// The way in which the ranks' terms are added up.
enum class Topology {
  sequential,        ///< in rank order, every rank by itself from the shared slots
  tree,              ///< pairwise, every rank by itself from the shared slots
  ring,              ///< reduce-scatter and all-gather by messages to the next rank
  halving_doubling,  ///< recursive halving, then doubling; spare ranks fold into the others first
  hierarchical,      ///< members to the leader of their group, leaders to rank 0, and back
  own_rank_first,    ///< from the shared slots, each rank starting at its own: bits may differ
};

/// How terms are weighted, and where the division stands (P ranks with K micro-batches each).
enum class Scaling {
  divide_after,     ///< sum of the local means / (P K)
  divide_before,    ///< sum over ranks of (sum of its local means / (P K))
  weight_by_count,  ///< sum of n g / N
  sum_over_count,   ///< sum of the local sums / N
  mean_of_means,    ///< sum over ranks of (sum of n g / n_r) / P
  sum_of_means,     ///< sum over ranks of (sum of n g / n_r): a mean in a world of one rank only
  none,             ///< sum of what is handed in
};

/// A way to reduce: right for its claim, whatever the values are.
///
/// Every result of an operation is rounded once to the accumulate dtype and the returned one to
/// that of the contributions. Loss and count are reduced along with the gradient, as two more
/// elements; the count is never rounded. A step without any valid row is declined by every rank.
struct Strategy {
  Topology topology = Topology::sequential;
  int group = 2;       ///< hierarchical: ranks of a group, 1 or more
  int first_rank = 0;  ///< sequential: where the sum starts, modulo the world size
  Scaling scaling = Scaling::weight_by_count;
  std::optional<Dtype> accumulate;                    ///< nothing: that of the contributions
  std::optional<Dtype> wire = std::nullopt;           ///< each rank's own sum is rounded to it
  std::optional<Dtype> gradient = std::nullopt;       ///< of the contributions; nothing: the case's
  Accumulation micro_batches = Accumulation::summed;  ///< running_mean needs weight_by_count

  friend bool operator==(const Strategy&, const Strategy&) = default;
};

/// Exactly what the strategy keeps. Where the accumulate dtype is not the case's, `roundings` holds
/// for every dtype that a case may have.
Claim claim_of(const Strategy& strategy);

/// One reducer object for each rank.
ReducerFactory reducers_of(const Strategy& strategy);

/// Compensated (Kahan) sum in rank order of n g, over micro-batches and ranks, divided by N.
Claim kahan_claim();
ReducerFactory kahan_reducers();

/// Reads `TOPOLOGY[:SCALING[:ACCUMULATE]][:wire=DTYPE][:gradient=DTYPE]`, such as
/// `ring:divide-before:f64`.
/// \throws InputError  naming the part that is unknown and what is known
Strategy parse_strategy(std::string_view text);

/// The name that `parse_strategy` reads back; parts that have their default are left out.
std::string name(const Strategy& strategy);

/// Topologies and scalings that a strategy's name may have.
std::span<const Topology> named_topologies();
std::span<const Scaling> named_scalings();
std::string_view name(Topology topology);
std::string_view name(Scaling scaling);

}  // namespace shardproof
