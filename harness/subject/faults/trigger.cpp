#include "subject/faults/trigger.h"

#include <algorithm>
#include <bit>

namespace shardproof {
namespace {

bool among_ranks(const Trigger& trigger, const Place& place) {
  switch (trigger.ranks) {
    case Trigger::Ranks::every:
      return true;
    case Trigger::Ranks::first:
      return place.rank == 0;
    case Trigger::Ranks::last:
      return place.rank == place.world - 1;
    case Trigger::Ranks::all_but_first:
      return place.rank != 0;
    case Trigger::Ranks::all_but_last:
      return place.rank != place.world - 1;
    case Trigger::Ranks::only:
      return place.rank == trigger.rank;
  }
  return false;
}

bool among_worlds(const Trigger& trigger, int world) {
  switch (trigger.worlds) {
    case Trigger::Worlds::every:
      return true;
    case Trigger::Worlds::power_of_two:
      return std::has_single_bit(static_cast<unsigned>(world));
    case Trigger::Worlds::no_power_of_two:
      return !std::has_single_bit(static_cast<unsigned>(world));
    case Trigger::Worlds::at_least:
      return world >= trigger.world;
    case Trigger::Worlds::at_most:
      return world <= trigger.world;
    case Trigger::Worlds::exactly:
      return world == trigger.world;
  }
  return false;
}

bool is_absent(std::span<const std::uint8_t> layers, int layer) {
  return !layers.empty() && layers[static_cast<std::size_t>(layer)] != 0;
}

bool some_layer_absent(const Place& place) {
  return std::ranges::any_of(place.absent, [](const std::vector<std::uint8_t>& layers) {
    return std::ranges::any_of(layers, [](std::uint8_t absent) { return absent != 0; });
  });
}

bool among_leaves(const Trigger& trigger, const Place& place, const TreeShape& shape,
                  std::size_t element) {
  const LeafShape& leaf = leaf_of(shape, element);
  const auto ranks = static_cast<std::size_t>(place.world);
  switch (trigger.elements) {
    case Trigger::Elements::every:
    case Trigger::Elements::gradient:
      return true;
    case Trigger::Elements::loss:
      return false;
    case Trigger::Elements::kernels:
      return !leaf.is_bias;
    case Trigger::Elements::biases:
      return leaf.is_bias;
    case Trigger::Elements::first_leaf:
      return leaf.offset == 0;
    case Trigger::Elements::last_leaf:
      return leaf.offset == shape.leaves.back().offset;
    case Trigger::Elements::all_but_first_leaf:
      return leaf.offset != 0;
    case Trigger::Elements::tail:
      return element >= shape.size / ranks * ranks;
    case Trigger::Elements::other_chunks:
      return !in_own_chunk(shape.size, place.world, place.rank, element);
  }
  return false;
}

bool among_lengths(const Trigger& trigger, std::size_t size) {
  const auto length = static_cast<std::size_t>(trigger.length);
  switch (trigger.lengths) {
    case Trigger::Lengths::every:
      return true;
    case Trigger::Lengths::no_multiple_of:
      return size % length != 0;
    case Trigger::Lengths::at_least:
      return size >= length;
    case Trigger::Lengths::at_most:
      return size <= length;
  }
  return false;
}

}  // namespace

bool arrives_before_rank_0(std::span<const int> arrival, int rank) {
  if (arrival.empty() || rank == 0) return false;
  return std::ranges::find(arrival, rank) < std::ranges::find(arrival, 0);
}

bool touches_step(const Trigger& trigger, const Place& place) {
  return among_worlds(trigger, place.world) && place.step >= trigger.from_step &&
         place.step <= trigger.to_step && place.micro_batches >= trigger.least_micro_batches &&
         (!trigger.dtype || *trigger.dtype == place.dtype);
}

bool touches_rank(const Trigger& trigger, const Place& place) {
  return touches_step(trigger, place) && among_ranks(trigger, place) &&
         (trigger.absent != Trigger::Absent::somewhere || some_layer_absent(place)) &&
         (trigger.arrival == Trigger::Arrival::any || place.before_rank_0);
}

bool touches_micro_batch(const Trigger& trigger, const Place& place, int micro_batch, int padded) {
  const bool first = micro_batch == 0;
  const bool last = micro_batch == place.micro_batches - 1;
  switch (trigger.micro_batches) {
    case Trigger::MicroBatches::every:
      break;
    case Trigger::MicroBatches::first:
      if (!first) return false;
      break;
    case Trigger::MicroBatches::last:
      if (!last) return false;
      break;
    case Trigger::MicroBatches::all_but_first:
      if (first) return false;
      break;
    case Trigger::MicroBatches::all_but_last:
      if (last) return false;
      break;
  }
  return padded >= trigger.padded_rows;
}

bool touches_element(const Trigger& trigger, const Place& place, const TreeShape& shape,
                     std::size_t element) {
  if (element == shape.size) {
    return (trigger.elements == Trigger::Elements::every ||
            trigger.elements == Trigger::Elements::loss) &&
           trigger.lengths == Trigger::Lengths::every &&
           trigger.absent != Trigger::Absent::from_last;
  }
  if (!among_leaves(trigger, place, shape, element)) return false;
  const LeafShape& leaf = leaf_of(shape, element);
  if (!among_lengths(trigger, leaf.size())) return false;
  return trigger.absent != Trigger::Absent::from_last ||
         (!place.absent.empty() && is_absent(place.absent.back(), leaf.layer));
}

const LeafShape& leaf_of(const TreeShape& shape, std::size_t element) {
  const auto after = std::ranges::upper_bound(shape.leaves, element, {}, &LeafShape::offset);
  return *(after - 1);
}

bool in_own_chunk(std::size_t size, int world, int rank, std::size_t element) {
  const auto parts = static_cast<std::size_t>(world);
  const auto own = static_cast<std::size_t>(rank);
  return element >= own * size / parts && element < (own + 1) * size / parts;
}

}  // namespace shardproof
