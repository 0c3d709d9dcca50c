#pragma once

#include <compare>
#include <cstdint>

namespace shardproof {

/// Position of a rank in its world, from 0.
struct Rank {
  int index = 0;
  friend auto operator<=>(const Rank&, const Rank&) = default;
};

/// Number of ranks that reduce together.
struct WorldSize {
  int value = 1;
  friend auto operator<=>(const WorldSize&, const WorldSize&) = default;
};

/// Number of rows that the mask keeps.
struct ValidCount {
  std::int64_t value = 0;
  friend auto operator<=>(const ValidCount&, const ValidCount&) = default;
};

}  // namespace shardproof
