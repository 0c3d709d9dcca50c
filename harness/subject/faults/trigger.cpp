#include "subject/faults/trigger.h"

#include <bit>

namespace shardproof {
namespace {

bool touches_rank(Trigger::Ranks ranks, const ReducerSetup& rank) {
  switch (ranks) {
    case Trigger::Ranks::every:
      return true;
    case Trigger::Ranks::last:
      return rank.rank.index == rank.world_size.value - 1;
    case Trigger::Ranks::all_but_first:
      return rank.rank.index != 0;
  }
  return false;
}

}  // namespace

bool touches_step(const Trigger& trigger, const ReducerSetup& rank, int step) {
  const bool power_of_two = std::has_single_bit(static_cast<unsigned>(rank.world_size.value));
  return step >= trigger.from_step && touches_rank(trigger.ranks, rank) &&
         (trigger.worlds == Trigger::Worlds::every || !power_of_two);
}

bool touches(const Trigger& trigger, const ReducerSetup& rank, const Contribution& contribution) {
  return touches_step(trigger, rank, contribution.step) &&
         (trigger.micro_batches == Trigger::MicroBatches::every || !contribution.last) &&
         contribution.rows - contribution.valid.value >= trigger.padded_rows;
}

bool touches_element(const Trigger& trigger, const ReducerSetup& rank, std::size_t leaf,
                     std::size_t element) {
  switch (trigger.elements) {
    case Trigger::Elements::every:
      return true;
    case Trigger::Elements::biases:
      return rank.shape->leaves[leaf].is_bias;
    case Trigger::Elements::tail: {
      const auto ranks = static_cast<std::size_t>(rank.world_size.value);
      return element >= rank.shape->size / ranks * ranks;
    }
  }
  return false;
}

}  // namespace shardproof
