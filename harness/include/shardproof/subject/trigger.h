#pragma once

#include <limits>
#include <optional>

#include "shardproof/case/dtype.h"

namespace shardproof {

/// What a fault touches; all parts have to hold. Ranks are those that contribute where the fault is
/// in a contribution, else those whose result it is in; micro-batches matter for contributions
/// only.
struct Trigger {
  enum class Ranks { every, first, last, all_but_first, all_but_last, only };
  enum class Worlds { every, power_of_two, no_power_of_two, at_least, at_most, exactly };
  enum class MicroBatches { every, first, last, all_but_first, all_but_last };
  enum class Elements {
    every,     ///< the loss, too
    gradient,  ///< without the loss
    loss,
    kernels,
    biases,
    first_leaf,
    last_leaf,
    all_but_first_leaf,
    tail,          ///< of the gradient, past P chunks of floor(elements / P)
    other_chunks,  ///< of the gradient, outside chunk r of P on rank r
  };
  enum class Lengths { every, no_multiple_of, at_least, at_most };  ///< of the leaf
  enum class Absent {
    never_mind,
    from_last,  ///< elements of layers that the rank's last micro-batch does not use
    somewhere,  ///< ranks that do not use some layer in some micro-batch
  };
  enum class Arrival {
    any,
    before_rank_0,  ///< ranks that arrive before rank 0, where the case has an order
  };

  Ranks ranks = Ranks::every;
  int rank = 0;  ///< with `only`
  Worlds worlds = Worlds::every;
  int world = 0;  ///< with `at_least`, `at_most`, `exactly`
  MicroBatches micro_batches = MicroBatches::every;
  int least_micro_batches = 1;  ///< of the step
  Elements elements = Elements::every;
  Lengths lengths = Lengths::every;
  int length = 0;  ///< with any but `every`
  int from_step = 0;
  int to_step = std::numeric_limits<int>::max();
  int padded_rows = 0;  ///< of the micro-batch, at least
  Absent absent = Absent::never_mind;
  Arrival arrival = Arrival::any;
  std::optional<Dtype> dtype{};

  friend bool operator==(const Trigger&, const Trigger&) = default;
};

}  // namespace shardproof
