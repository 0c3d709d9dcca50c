#include "shardproof/judge/arithmetic.h"

#include <algorithm>
#include <cmath>

namespace shardproof {
namespace {

constexpr int kAnyPlacement = 4;          // roundings of a term, whatever the placement
constexpr int kRoundingsPerLevel = 3;     // of each further averaging level
constexpr int kUnrepresentableCount = 2;  // where counts do not fit the format
// Where terms are converted to the accumulator, and its last rounding is not the output's.
constexpr int kConversions = 2;
constexpr int kUnbounded = 1 << 30;  // so many roundings that nothing is proved

/// Every integer up to here is a value of the dtype.
double exact_up_to(Dtype dtype) { return std::ldexp(1.0, format(dtype).precision); }

std::int64_t largest_count(const Step& step) {
  std::int64_t largest = 1;
  for (const Shard& shard : step.shards) largest = std::max(largest, shard.valid().value);
  return largest;
}

}  // namespace

Arithmetic arithmetic_of(const Claim& claim, const Case& problem, const Step& step) {
  Arithmetic a;
  const RoleDtypes dtypes = role_dtypes(claim, problem.dtype);
  const auto valid = static_cast<double>(step.valid().value);
  a.accumulate = dtypes.accumulate;
  a.wire = dtypes.wire;
  if (dtypes.count && valid > exact_up_to(*dtypes.count)) {
    a.count = dtypes.count;
    a.count_roundings = problem.world_size().value + 1;
  }
  a.tree = claim.summation == Summation::tree;
  a.faithful = claim.rounding == Rounding::faithful;
  a.flush = claim.flush != Flush::no;
  if (claim.roundings) {
    a.roundings = *claim.roundings;
    return a;
  }
  const int levels = claim.levels - 1 + (step.micro_batches() > 1 ? 1 : 0);
  a.roundings = kAnyPlacement + kRoundingsPerLevel * levels;
  const double terms = static_cast<double>(problem.world_size().value) * step.micro_batches();
  const double largest_constant = std::max(valid, terms);
  if (largest_constant > exact_up_to(a.accumulate)) a.roundings += kUnrepresentableCount;
  // The reciprocal of such a constant is subnormal, or it overflows (NUMERICS 1.4).
  if (largest_constant > 1 / format(a.accumulate).smallest_normal) a.roundings = kUnbounded;
  if (a.accumulate != dtypes.gradient || a.accumulate != dtypes.output) {
    a.roundings += kConversions;
  }
  a.amplification = static_cast<double>(largest_count(step));  // of (g / N) n_r
  return a;
}

double largest_value(const Claim& claim, const Case& problem) {
  const RoleDtypes dtypes = role_dtypes(claim, problem.dtype);
  return std::min({format(dtypes.gradient).largest, format(dtypes.accumulate).largest,
                   format(dtypes.output).largest,
                   format(dtypes.wire.value_or(dtypes.accumulate)).largest});
}

}  // namespace shardproof
