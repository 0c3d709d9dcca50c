#include "judge/arithmetic.h"

#include <algorithm>
#include <cmath>

namespace shardproof {
namespace {

constexpr int kAnyPlacement = 4;          // roundings of a term, whatever the placement
constexpr int kRoundingsPerLevel = 3;     // of each further averaging level
constexpr int kUnrepresentableCount = 2;  // where counts do not fit the format
// Where terms are converted to the accumulator, and its last rounding is not the output's.
constexpr int kConversions = 2;

std::int64_t largest_count(const Step& step) {
  std::int64_t largest = 1;
  for (const Shard& shard : step.shards) largest = std::max(largest, shard.valid().value);
  return largest;
}

}  // namespace

Arithmetic arithmetic_of(const Claim& claim, const Case& problem, const Step& step) {
  Arithmetic a;
  a.accumulate = claim.accumulate.value_or(problem.dtype);
  a.tree = claim.summation == Summation::tree;
  a.faithful = claim.rounding == Rounding::faithful;
  a.flush = claim.flush != Flush::no;
  if (claim.roundings) {
    a.roundings = *claim.roundings;
    return a;
  }
  const int levels = claim.levels - 1 + (step.micro_batches() > 1 ? 1 : 0);
  a.roundings = kAnyPlacement + kRoundingsPerLevel * levels;
  const double exact_counts = std::ldexp(1.0, format(a.accumulate).precision);
  if (static_cast<double>(step.valid().value) > exact_counts) a.roundings += kUnrepresentableCount;
  if (a.accumulate != problem.dtype) a.roundings += kConversions;
  a.amplification = static_cast<double>(largest_count(step));  // of (g / N) n_r
  return a;
}

double largest_value(const Claim& claim, const Case& problem) {
  return std::min(format(problem.dtype).largest,
                  format(claim.accumulate.value_or(problem.dtype)).largest);
}

}  // namespace shardproof
