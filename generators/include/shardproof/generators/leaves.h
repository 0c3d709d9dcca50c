#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "shardproof/generators/source.h"
#include "shardproof/subject/leaf_reduction.h"

namespace shardproof {

/// What kind of numbers a leaf is filled with (NUMERICS 3). They have no rows behind them, so that
/// they may be as nasty as they like.
enum class LeafFamily {
  normal,
  positive,
  wide,        ///< exponents as far apart as the dtype allows
  cancelling,  ///< every other term nearly takes back the one before
  one_plus_u,  ///< units in the last place around 1: ties and their neighbours
  subnormal,
  near_overflow,
  stagnation,  ///< one large term and many that are half its last place
  integers,
};

inline constexpr std::array kAllLeafFamilies{
    LeafFamily::normal,        LeafFamily::positive,   LeafFamily::wide,
    LeafFamily::cancelling,    LeafFamily::one_plus_u, LeafFamily::subnormal,
    LeafFamily::near_overflow, LeafFamily::stagnation, LeafFamily::integers};

std::string_view name(LeafFamily family);

/// The terms of one leaf and the counts behind them.
struct DrawnLeaf {
  Dtype dtype = Dtype::f32;
  LeafFamily family = LeafFamily::normal;
  std::vector<std::vector<std::int64_t>> counts;  ///< [shard][micro-batch]
  LeafValues values;                              ///< zeros where a count is
  bool equal = true;                              ///< all counts are the same
  bool every_rank = true;                         ///< has a valid row
};

/// A stream of choices: a pure function of seed and index.
Source leaf_source(std::uint64_t seed, std::uint64_t index);

DrawnLeaf draw_leaf(Source& source, std::size_t elements);

/// A right way to reduce such a leaf.
LeafReduction draw_leaf_reduction(Source& source, const DrawnLeaf& leaf);

}  // namespace shardproof
