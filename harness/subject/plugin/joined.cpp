#include "subject/plugin/joined.h"

#include <utility>

namespace shardproof {

JoinedMicroBatches::JoinedMicroBatches(const Claim& claim, Dtype dtype)
    : dtype_(dtype),
      weighted_(claim.target != Target::sum && claim.input == InputForm::local_mean) {}

void JoinedMicroBatches::add(const Contribution& one) {
  const std::span<const double> values = one.gradient.values();
  sums_.resize(values.size(), 0.0);
  ++added_;
  valid_ += one.valid.value;
  if (weighted_ && one.valid.value == 0) return;
  const bool alone = added_ == 1 && one.last;
  const double weight =
      weighted_ && !alone ? round_to(dtype_, static_cast<double>(one.valid.value)) : 1.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sums_[i] = round_to(dtype_, sums_[i] + round_to(dtype_, values[i] * weight));
  }
}

std::vector<double> JoinedMicroBatches::take() {
  if (weighted_ && added_ > 1 && valid_ > 0) {
    const double divisor = round_to(dtype_, static_cast<double>(valid_));
    for (double& value : sums_) value = round_to(dtype_, value / divisor);
  }
  valid_ = 0;
  added_ = 0;
  return std::exchange(sums_, {});
}

}  // namespace shardproof
