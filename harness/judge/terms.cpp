#include "judge/terms.h"

#include <vector>

#include "exact/magnitude.h"

namespace shardproof {

double running_mean_bound(
    const StepOfTrial& at,
    const std::function<double(std::size_t shard, std::size_t m)>& magnitude) {
  const auto all_rows = static_cast<double>(at.step().valid().value);
  Magnitude carried;   // errors of the ranks' means, weighted
  Magnitude positive;  // sizes of the terms that the ranks then reduce: as if all had one sign
  std::int64_t ranks = 0;
  std::vector<MeanTerm> terms;
  for (std::size_t r = 0; r < at.step().shards.size(); ++r) {
    terms.clear();
    const std::size_t micro_batches = at.step().shards[r].micro_batches.size();
    for (std::size_t m = 0; m < micro_batches; ++m) {
      const std::int64_t count = at.micro_batch(r, m).valid().value;
      if (count > 0) terms.push_back({magnitude(r, m), count});
    }
    if (terms.empty()) continue;
    const RunningMean mean = running_mean_bound(at.arithmetic, terms);
    const auto rows = static_cast<double>(at.step().shards[r].valid().value);
    const Magnitude weight = Magnitude{rows} / all_rows;
    carried += weight * Magnitude{mean.error};
    positive += weight * (Magnitude{mean.magnitude} + Magnitude{mean.error});
    ++ranks;
  }
  const TermSums sums{positive.value(), 0, positive.value(), ranks};
  return (carried + Magnitude{reduction_bound(at.arithmetic, sums)}).value();
}

}  // namespace shardproof
