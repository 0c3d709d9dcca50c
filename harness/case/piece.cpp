#include "shardproof/case/piece.h"

#include <algorithm>

namespace shardproof {

std::size_t even_piece_length(std::size_t elements, WorldSize ranks) {
  const auto parts = static_cast<std::size_t>(ranks.value);
  return (elements + parts - 1) / parts;
}

Piece even_piece(std::size_t elements, WorldSize ranks, Rank rank) {
  const std::size_t length = even_piece_length(elements, ranks);
  const std::size_t offset = std::min(elements, static_cast<std::size_t>(rank.index) * length);
  return {.offset = offset, .length = std::min(length, elements - offset)};
}

}  // namespace shardproof
