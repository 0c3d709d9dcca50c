#pragma once

#include <optional>

#include "shardproof/judge/trial.h"

namespace shardproof {

/// Whether the norm of a result is not that of its tree; nothing where that cannot be said.
/// \pre a norm was returned
std::optional<bool> is_wrong_norm(const Trial& trial, const RankResult& result);

}  // namespace shardproof
