#pragma once

#include <cstdint>
#include <optional>

#include "shardproof/subject/prediction.h"

namespace shardproof {

/// Weights up to here are binary64 numbers, and so are their parts.
inline constexpr std::uint64_t kLargestWeight = std::uint64_t{1} << 53;

/// Exact arithmetic of weights, in lowest terms; nothing beyond the limit, nor where a denominator
/// is zero.
std::optional<Fraction> times(Fraction a, Fraction b);
std::optional<Fraction> plus(Fraction a, Fraction b);

/// Least common multiple, or 0 beyond the limit. \pre neither is zero
std::uint64_t common_multiple(std::uint64_t a, std::uint64_t b);

}  // namespace shardproof
