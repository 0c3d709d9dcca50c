#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shardproof/case/tree.h"
#include "shardproof/subject/trigger.h"

namespace shardproof {

/// A rank in a step, as far as triggers ask.
struct Place {
  int world = 1;
  int rank = 0;
  int step = 0;
  int micro_batches = 1;
  Dtype dtype = Dtype::f32;
  std::vector<std::vector<std::uint8_t>> absent{};  ///< [micro-batch][layer]; may be empty
  bool before_rank_0 = false;                       ///< in the order of arrival
};

/// Whether `rank` arrives before rank 0; not where any order may be.
bool arrives_before_rank_0(std::span<const int> arrival, int rank);

/// Whether the trigger holds for a step, whatever the rank.
bool touches_step(const Trigger& trigger, const Place& place);

/// Whether the trigger holds for a rank in a step, apart from micro-batches and elements.
bool touches_rank(const Trigger& trigger, const Place& place);

/// Whether it holds for a micro-batch of that rank, \pre touches_rank
bool touches_micro_batch(const Trigger& trigger, const Place& place, int micro_batch, int padded);

/// Whether it holds for an element of the tree (`shape.size`: the loss) on that rank.
bool touches_element(const Trigger& trigger, const Place& place, const TreeShape& shape,
                     std::size_t element);

/// The leaf of an element of the gradient.
const LeafShape& leaf_of(const TreeShape& shape, std::size_t element);

/// Whether an element lies in chunk `rank` of `world` nearly equal ones.
bool in_own_chunk(std::size_t size, int world, int rank, std::size_t element);

}  // namespace shardproof
