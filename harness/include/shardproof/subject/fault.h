#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "shardproof/subject/prediction.h"
#include "shardproof/subject/reducer.h"
#include "shardproof/subject/trigger.h"

namespace shardproof {

/// What a mistaken weight is made of: counts around micro-batch k of rank j, in the result of rank
/// r.
enum class Count {
  ranks,                    ///< P
  micro_batches,            ///< K
  valid,                    ///< n_jk
  valid_of_rank,            ///< n_j
  valid_of_all,             ///< N
  own_valid,                ///< n_r
  own_variance_divisor,     ///< P n_r - 1
  rows,                     ///< t_jk, padding included
  rows_of_all,              ///< T
  ranks_with_rows,          ///< ranks with a valid row
  micro_batches_with_rows,  ///< of all ranks, those with a valid row
  leaf_size,                ///< elements of the leaf; 1 for the loss
  largest_batch,            ///< the largest N of a step so far
  valid_so_far,             ///< N of this step and of all before it
  whole_share,              ///< N / P, rounded down
  pairs_of_ranks,           ///< P / 2, rounded up
  leaves,                   ///< of the tree
};

/// A weight: factor / divisor times some counts over others. A count of zero divides as one does.
struct Weight {
  std::uint64_t factor = 1;
  std::uint64_t divisor = 1;
  std::vector<Count> times{};
  std::vector<Count> over{};

  friend bool operator==(const Weight&, const Weight&) = default;
};

/// n_jk / N.
Weight right_weight();

/// Every weight is what the mean over the valid rows of a micro-batch has in the result.
struct Weigh {
  std::optional<Weight> term{};    ///< of the contributions touched, instead of n_jk / N
  std::optional<Weight> rest{};    ///< of the other ranks and micro-batches where it is triggered
  std::optional<Weight> result{};  ///< the results touched are multiplied by it; no count of j, k
  std::optional<Weight> own{};     ///< the own contributions touched enter once more, unreduced
  bool own_alone = false;          ///< and nothing else does

  friend bool operator==(const Weigh&, const Weigh&) = default;
};

/// Counts valid rows wrongly: c_jk where n_jk is due, in the contributions touched.
struct Recount {
  enum class As { zero, one, rows };
  As as = As::rows;
  bool weighs = false;  ///< whether a mean weighs c_jk / C; else n_jk / C

  friend bool operator==(const Recount&, const Recount&) = default;
};

/// The contributions touched have values in wrong places.
enum class Misplaced {
  last_two_leaves,  ///< the last two leaves change places; a single leaf swaps its two ends
  next_element,     ///< every element holds its successor, the last one the first
  within_leaf,      ///< the same leaf by leaf
  next_leaf,        ///< a leaf holds the beginning of its successor, as far as that goes
  packed,           ///< leaves of absent layers were left out when packing
};

/// What was due in the step before.
enum class Stale {
  result,        ///< the result touched is that of the step before
  contribution,  ///< the contributions touched are those of the step before
};

/// Values that no weights make.
enum class Special {
  overwritten_input,  ///< the result is written over the last contribution, too
  nan_from_nothing,   ///< NaN where no row of the step is valid, instead of an error
  nan_from_empty,     ///< NaN where some rank has no valid row
  own_count,          ///< the returned count is the rank's own
  ranks_as_count,     ///< the returned count is the number of ranks
  own_norm,           ///< the returned norm is of the own chunk and of own means elsewhere
  low_half,           ///< the contributions touched hold the lower half of their f32 bits as f16
  half_sum,           ///< P times the result is rounded to f16 (and overflows there), then divided
  half_share,         ///< 1/1024 of the result is rounded to f16 (and underflows), then multiplied
  first_scale,        ///< rank 0's power-of-two scale is applied to the codes of every rank
  small_lost,         ///< contributions below 1/8 of their tree's largest element count as zeros
};

using Operator = std::variant<Weigh, Recount, Misplaced, Stale, Special>;

/// A mistake of a reducer of the weighted mean, as a value with two interpreters.
struct Fault {
  Operator what{};
  Trigger when{};

  friend bool operator==(const Fault&, const Fault&) = default;
};

/// Runs it: `reducer` with the fault in it. \pre `reducer` is right for the weighted mean
ReducerFactory apply(const Fault& fault, ReducerFactory reducer);

/// Predicts it: what the fault makes of an element of a rank's result, exactly, from the case
/// alone; nothing where that cannot be said. No value of it comes from what `apply` computes with.
std::optional<Prediction> predict(const Fault& fault, const ResultSite& site);

/// The same, whatever would trigger it.
std::optional<Prediction> predict(const Operator& what, const ResultSite& site);

/// `n_jk / N`, `4 n_jk / (P N)`.
std::string describe(const Weight& weight);

/// What the fault does and when, in one line.
std::string describe(const Fault& fault);

}  // namespace shardproof
