#include "judge/terms.h"

#include <algorithm>
#include <vector>

namespace shardproof {

namespace {

/// The bound of running means over each rank's micro-batches, then reduced over the ranks.
Magnitude bound_of_running_means(const StepOfTrial& at, const MagnitudeOf& magnitude) {
  Magnitude carried;   // errors of the ranks' means, weighted
  Magnitude positive;  // sizes of the terms that the ranks then reduce: as if all had one sign
  std::int64_t ranks = 0;
  std::vector<MeanTerm> terms;
  for (std::size_t r = 0; r < at.step().shards.size(); ++r) {
    terms.clear();
    Magnitude weight;  // of the rank's mean
    for (std::size_t m = 0; m < at.step().shards[r].micro_batches.size(); ++m) {
      const std::int64_t count = at.micro_batch(r, m).valid().value;
      if (count == 0) continue;
      terms.push_back({magnitude(r, m), count});
      weight += Magnitude{static_cast<double>(at.handed_in.weight[r][m])};
    }
    if (terms.empty()) continue;
    weight = weight / static_cast<double>(at.handed_in.divisor);
    const RunningMean mean = running_mean_bound(at.arithmetic, terms);
    carried += weight * Magnitude{mean.error};
    positive += weight * (Magnitude{mean.magnitude} + Magnitude{mean.error});
    ++ranks;
  }
  const TermSums sums{positive.value(), 0, positive.value(), ranks};
  return carried + Magnitude{reduction_bound(at.arithmetic, sums)};
}

/// A claim that leaves the arithmetic open leaves running means open, too, where they are right.
bool running_means_are_open(const StepOfTrial& at) {
  const Claim& claim = at.claim();
  return claim.summation == Summation::any && !claim.roundings &&
         claim.input == InputForm::local_mean && claim.target != Target::sum &&
         at.step().micro_batches() > 1;
}

}  // namespace

Magnitude bound_of_reduction(const StepOfTrial& at, const std::function<double()>& bound_of_sum,
                             const MagnitudeOf& magnitude) {
  if (at.claim().accumulation == Accumulation::running_mean) {
    return bound_of_running_means(at, magnitude);
  }
  const Magnitude summed{bound_of_sum()};
  if (!running_means_are_open(at)) return summed;
  return std::max(summed, bound_of_running_means(at, magnitude));
}

}  // namespace shardproof
