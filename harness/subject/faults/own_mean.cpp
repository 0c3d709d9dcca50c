#include "subject/faults/own_mean.h"

#include <algorithm>

namespace shardproof {

void OwnMean::add(const Contribution& contribution) {
  if (contribution.micro_batch == 0) {
    count_ = 0;
    std::ranges::fill(mean_, 0.0);
  }
  const auto count = static_cast<double>(contribution.valid.value);
  if (count == 0) return;
  count_ += count;
  const double share = round_to(dtype_, count / count_);
  for (std::size_t e = 0; e < mean_.size(); ++e) {
    const double away = round_to(dtype_, contribution.gradient.values()[e] - mean_[e]);
    mean_[e] = round_to(dtype_, mean_[e] + round_to(dtype_, away * share));
  }
}

}  // namespace shardproof
