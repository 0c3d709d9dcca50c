#pragma once

#include <cstddef>
#include <span>

#include "shardproof/case/dtype.h"
#include "shardproof/case/tree.h"

namespace shardproof {

/// A binary16 out of the f32 memory of a leaf, as its element `at` is found when the leaf is taken
/// for one of halves: halves stand low before high.
double half_in_memory(std::span<const double> leaf, std::size_t at);

/// The power of two that is not above the largest finite magnitude; 1 where all are zeros.
double scale_of(std::span<const double> values);

/// The largest magnitude; NaN is none.
double largest_of(std::span<const double> values);

}  // namespace shardproof
