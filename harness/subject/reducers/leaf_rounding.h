#pragma once

#include <cstddef>
#include <span>

#include "shardproof/case/dtype.h"

namespace shardproof {

/// Loops over the elements of a leaf, every result rounded to a format: `round_to` of each, but as
/// vector code. Spans of one call have one length.

void convert(Dtype dtype, std::span<double> leaf);
void multiply(Dtype dtype, std::span<double> leaf, double factor);
void divide(Dtype dtype, std::span<double> leaf, double divisor);
void add(Dtype dtype, std::span<double> sums, std::span<const double> terms);

/// One step of Kahan's sum; `lost` is what the sums so far have lost.
void add_compensated(Dtype dtype, std::span<double> sums, std::span<double> lost,
                     std::span<const double> terms);

/// mean + (next - mean) * share
void move_mean(Dtype dtype, std::span<double> mean, std::span<const double> next, double share);

}  // namespace shardproof
