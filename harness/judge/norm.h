#pragma once

#include <optional>
#include <span>

#include "shardproof/judge/trial.h"

namespace shardproof {

/// Whether a norm that a rank returned is not that of the gradient; nothing where that cannot be
/// said.
std::optional<bool> is_wrong_norm(const Trial& trial, std::span<const double> gradient,
                                  double norm);

}  // namespace shardproof
