#pragma once

#include <cstdint>
#include <optional>

#include "shardproof/subject/prediction.h"

namespace shardproof {

/// Exact arithmetic of weights, in lowest terms; nothing beyond 53 bits.
std::optional<Fraction> times(Fraction a, Fraction b);
std::optional<Fraction> plus(Fraction a, Fraction b);

}  // namespace shardproof
