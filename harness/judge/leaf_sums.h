#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shardproof/exact/bound.h"
#include "shardproof/judge/leaf.h"
#include "shardproof/judge/reference.h"

namespace shardproof {

/// Sums of the weighted terms of each element, in twice the precision of binary64.
///
/// S = sum of w x over integer weights w. |S - (high + low)| <= 2^-79 sum |w x|, and `magnitude` is
/// off that sum by at most one part in 2^39: all products are exact, so are the errors of all
/// additions to `high` (Knuth), and only adding those up in `low` rounds (Ogita, Rump, Oishi: SIAM
/// J. Sci. Comput. 26(6), 2005, with at most 2^13 summands). Nothing underflows inexactly, since
/// every number is a multiple of the smallest subnormal; an overflow leaves infinity or NaN behind.
struct LeafSums {
  Weights weights;
  std::vector<std::vector<double>> rows;  ///< [shard][micro-batch], valid ones
  bool covered = false;  ///< the weights and the number of terms are small enough for all this
  std::vector<double> high;
  std::vector<double> low;
  std::vector<double> magnitude;
  std::vector<std::int32_t> terms;    ///< that are not zero
  std::vector<std::int32_t> touched;  ///< micro-batches of ranks with any term that is not zero
};

LeafSums leaf_sums(Weights weights, const LeafValues& values);

/// A lower bound of what the exact judge allows, for elements of so many terms: the lesser of two
/// linear forms in the sums, before the half gap of the result.
struct AllowanceForm {
  double of_magnitude = 0;
  double of_total = 0;
  double constant = -1;  ///< negative: nothing is allowed, the exact judge decides
};
struct Allowance {
  AllowanceForm by_count;
  AllowanceForm by_grid;
};

/// \param one_sign  the signs of the terms do not count, as in running means
Allowance allowance_of(const Arithmetic& arithmetic, bool one_sign, int terms);

/// Filters a leaf: for each element the distance from the exact value as a share of what is
/// allowed, rounded up, or more than 1 where the exact judge has to decide.
///
/// \param allowed  [number of terms]; only numbers that occur need to be filled in
/// \param terms    [element], an index of `allowed`
void filter_leaf(const LeafSums& sums, std::span<const Allowance> allowed,
                 std::span<const std::int32_t> terms, Dtype output,
                 std::span<const double> returned, std::span<double> share);

}  // namespace shardproof
