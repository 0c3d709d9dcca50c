#include "subject/faults/misplaced.h"

#include "subject/faults/trigger.h"

namespace shardproof {
namespace {

std::size_t from_swapped(const TreeShape& shape, std::size_t element) {
  const std::size_t leaves = shape.leaves.size();
  if (leaves == 1) {
    if (element == 0) return shape.size - 1;
    return element == shape.size - 1 ? 0 : element;
  }
  const LeafShape& first = shape.leaves[leaves - 2];
  const LeafShape& second = shape.leaves[leaves - 1];
  if (element < first.offset) return element;
  const std::size_t at = element - first.offset;
  return at < second.size() ? second.offset + at : first.offset + at - second.size();
}

std::size_t from_within_leaf(const TreeShape& shape, std::size_t element) {
  const LeafShape& leaf = leaf_of(shape, element);
  return leaf.offset + (element - leaf.offset + 1) % leaf.size();
}

std::size_t from_next_leaf(const TreeShape& shape, std::size_t element) {
  const LeafShape& leaf = leaf_of(shape, element);
  const std::size_t next = leaf.offset + leaf.size();
  if (next == shape.size) return element;
  const std::size_t at = element - leaf.offset;
  return at < leaf_of(shape, next).size() ? next + at : element;
}

std::optional<std::size_t> from_packed(const TreeShape& shape, std::span<const std::uint8_t> absent,
                                       std::size_t element) {
  for (const LeafShape& leaf : shape.leaves) {
    if (!absent.empty() && absent[static_cast<std::size_t>(leaf.layer)] != 0) continue;
    if (element < leaf.size()) return leaf.offset + element;
    element -= leaf.size();
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::size_t> source_of(Misplaced misplaced, const TreeShape& shape,
                                     std::span<const std::uint8_t> absent, std::size_t element) {
  switch (misplaced) {
    case Misplaced::last_two_leaves:
      return from_swapped(shape, element);
    case Misplaced::next_element:
      return (element + 1) % shape.size;
    case Misplaced::within_leaf:
      return from_within_leaf(shape, element);
    case Misplaced::next_leaf:
      return from_next_leaf(shape, element);
    case Misplaced::packed:
      return from_packed(shape, absent, element);
  }
  return element;
}

}  // namespace shardproof
