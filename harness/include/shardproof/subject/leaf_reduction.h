#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shardproof/case/claim.h"

namespace shardproof {

/// What every rank hands in of one leaf: [shard][micro-batch][element].
using LeafValues = std::vector<std::vector<std::vector<double>>>;

/// Where and how the terms of a sum are scaled: the placements of NUMERICS 1.4.
enum class LeafScaling {
  divide_after,         ///< sum of g / T; T terms of equal counts
  multiply_after,       ///< sum of g * fl(1/T)
  divide_before,        ///< sum of (g / T)
  multiply_before,      ///< sum of (g * fl(1/T)), as ncclAvg
  divide_twice,         ///< sum of (g / f) / fl(T/f)
  weight_divide,        ///< sum of (n g) / N
  weight_multiply,      ///< sum of (n g) * fl(1/N)
  share,                ///< sum of (fl(n/N) g)
  weighted_reciprocal,  ///< sum of (fl(n fl(1/N)) g)
  divide_weight,        ///< sum of ((g / N) n)
  sums_over_count,      ///< local sums: their sum / N
  mean_over_ranks,      ///< sum of the ranks' own means / P
  sum,                  ///< sum of g
};

/// What a rank does with its micro-batches.
enum class LeafJoining {
  terms,         ///< nothing: all terms enter one sum
  ranks_first,   ///< its scaled terms are added up first
  own_mean,      ///< sum of n g / n_r, which then counts as one term
  running_mean,  ///< acc += (g - acc) fl(n / n so far), which then counts as one term
};

enum class LeafOrder {
  forwards,
  backwards,
  pairwise,
  ring,  ///< chunk by chunk, each starting at another term
  halving_doubling,
  groups,  ///< sums of groups, then their sum
  random_tree,
  compensated,  ///< Kahan
};

/// A right way to reduce one leaf as a plain function, for many elements at once. It shares no code
/// with the reducers that run on threads.
struct LeafReduction {
  LeafScaling scaling = LeafScaling::weight_divide;
  LeafJoining joining = LeafJoining::terms;
  LeafOrder order = LeafOrder::forwards;
  std::uint64_t seed = 0;                    ///< of a random tree, of the size of groups
  std::optional<Dtype> accumulate;           ///< of every intermediate result; nothing: the leaf's
  std::optional<Dtype> wire = std::nullopt;  ///< what enters the last sum is rounded to it
  std::optional<Dtype> output = std::nullopt;  ///< of the result; nothing: the leaf's
  /// Whether the claim states the number of roundings; else it leaves everything open and counts
  /// are rounded to the accumulate dtype, too.
  bool declared = false;

  friend bool operator==(const LeafReduction&, const LeafReduction&) = default;
};

/// Why such a reduction is none that is right under a claim of its own, or empty when it is.
std::string_view not_right(const LeafReduction& reduction);

/// What it keeps, for leaves of `dtype`. \pre `not_right` is empty
Claim claim_of(const LeafReduction& reduction, Dtype dtype);

/// Whether it needs terms of equal counts.
bool needs_equal_counts(LeafScaling scaling);

/// \param counts  [shard][micro-batch], valid rows; at least one is not zero
/// \return the reduced leaf, each element rounded to the output dtype
std::vector<double> reduce(const LeafReduction& reduction, const LeafValues& values,
                           const std::vector<std::vector<std::int64_t>>& counts, Dtype dtype);

std::string_view name(LeafScaling scaling);
std::string_view name(LeafJoining joining);
std::string_view name(LeafOrder order);
std::span<const LeafScaling> all_leaf_scalings();
std::span<const LeafJoining> all_leaf_joinings();
std::span<const LeafOrder> all_leaf_orders();

/// `weight n, divide by N; ranks first; ring; f32`
std::string describe(const LeafReduction& reduction, Dtype dtype);

}  // namespace shardproof
