#pragma once

#include <optional>

#include "shardproof/subject/outcome.h"

namespace shardproof {

/// Makes sense of results of which each is one rank's piece of the flat tree.
///
/// Every result gets its piece: the one that the rank says, or else `even_piece`; cut at the end of
/// the tree, since padding is not judged. Elements outside of it become 0. Doing it again changes
/// nothing.
///
/// \return  where the pieces of a step do not hold every element of the tree exactly once: the
///          first rank that is at fault, the elements and the other rank
std::optional<Misbehaved> settle_pieces(Returned& returned);

}  // namespace shardproof
