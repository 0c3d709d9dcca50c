#pragma once

#include <cstddef>

#include "shardproof/case/types.h"

namespace shardproof {

/// A part of a flat tree: `length` elements from `offset` on.
struct Piece {
  std::size_t offset = 0;
  std::size_t length = 0;

  [[nodiscard]] std::size_t end() const { return offset + length; }
  [[nodiscard]] bool holds(std::size_t element) const {
    return element >= offset && element < end();
  }
  friend bool operator==(const Piece&, const Piece&) = default;
};

/// The elements of a rank's piece before the tree's end cuts it: ceil(elements / ranks).
std::size_t even_piece_length(std::size_t elements, WorldSize ranks);

/// The piece of a rank where a flat tree, thought padded to ranks * ceil(elements / ranks), is cut
/// evenly: from rank * ceil(elements / ranks) on, without the padding. Empty for the last ranks of
/// a world that is larger than the tree.
Piece even_piece(std::size_t elements, WorldSize ranks, Rank rank);

}  // namespace shardproof
