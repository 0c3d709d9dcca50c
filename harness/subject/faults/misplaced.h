#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "shardproof/case/tree.h"
#include "shardproof/subject/fault.h"

namespace shardproof {

/// The element of the right contribution that stands at `element` of the misplaced one; nothing
/// where a zero does.
/// \param absent  [layers] of the contribution; may be empty
std::optional<std::size_t> source_of(Misplaced misplaced, const TreeShape& shape,
                                     std::span<const std::uint8_t> absent, std::size_t element);

}  // namespace shardproof
