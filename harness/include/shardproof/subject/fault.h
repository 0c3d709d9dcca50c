#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shardproof/subject/reducer.h"
#include "shardproof/subject/strategy.h"
#include "shardproof/subject/train_step.h"

namespace shardproof {

/// Which contributions and results a fault touches; all parts have to hold.
struct Trigger {
  enum class Ranks { every, last, all_but_first };
  enum class Worlds { every, no_power_of_two };
  enum class MicroBatches { every, all_but_last };
  enum class Elements {
    every,
    biases,
    tail,  ///< of the gradient, past P chunks of floor(elements / P)
  };

  Ranks ranks = Ranks::every;
  Worlds worlds = Worlds::every;
  MicroBatches micro_batches = MicroBatches::every;
  Elements elements = Elements::every;
  int from_step = 0;
  int padded_rows = 0;  ///< of the micro-batch, at least

  friend bool operator==(const Trigger&, const Trigger&) = default;
};

/// A mistake of a reducer, as a value that `apply` puts into a right one.
struct Fault {
  enum class Operator {
    drop_terms,       ///< gradient and loss count as zeros; their rows are still counted
    count_padding,    ///< padded rows are counted, too
    keep_own,         ///< elements stay the rank's own mean over its micro-batches
    swap_leaves,      ///< the last two leaves (one leaf: its two ends) change places
    stale,            ///< the result is the one of the step before
    overwrite_input,  ///< the result is written over the contribution, too
    nan_where_none,   ///< NaN where no row is valid, instead of an error
    own_count,        ///< the count is the rank's own
    ranks_as_count,   ///< the count is the number of ranks
    summed_loss,      ///< the loss is P times what it should be
  };

  Operator what = Operator::drop_terms;
  Trigger when{};

  friend bool operator==(const Fault&, const Fault&) = default;
};

/// `reducer` with the fault in it.
ReducerFactory apply(const Fault& fault, ReducerFactory reducer);

/// A reducer that starts its sum at another rank in every trial of a world size: right within any
/// bound, but not repeatable.
ReducerFactory reducers_of_changing_order();

/// A mistake of a train step.
enum class TrainFault {
  update_before_reduce,    ///< parameters move by the rank's own gradient
  loss_after_update,       ///< the loss is the one of the updated parameters
  update_twice,            ///< parameters move by the gradient twice
  leaf_not_updated,        ///< the last leaf keeps its parameters
  sum_update,              ///< parameters move by P times the gradient
  unmasked_numerator,      ///< padded rows reach the sum but not the count
  mask_by_multiplication,  ///< padded rows are multiplied by zero: NaN and infinity survive that
};

/// Plain SGD whose gradient, loss and count are reduced by a strategy: parameters become
/// round(w - round(lr g)) in the case's dtype.
TrainStepFactory sgd_of(const Strategy& strategy, std::optional<TrainFault> fault = std::nullopt);

/// What right SGD by a strategy keeps.
Claim sgd_claim(const Strategy& strategy);

/// A built-in subject that breaks its claim. All claim the weighted mean under all conditions.
struct WrongReducer {
  std::string name;
  std::string summary;
  Claim claim;
  ReducerFactory reducers;
};
std::vector<WrongReducer> wrong_reducers();

struct WrongTrainStep {
  std::string name;
  std::string summary;
  Claim claim;
  TrainStepFactory steps;
};
std::vector<WrongTrainStep> wrong_train_steps();

}  // namespace shardproof
