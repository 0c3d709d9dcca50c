#include <algorithm>
#include <array>

#include "subject/reducers/rank_sum.h"
#include "subject/reducers/rounded.h"

namespace shardproof {
namespace {

/// Terms of every rank for one element, added pairwise: ((0 + 1) + (2 + 3)) + ...
template <class Round>
double pairwise(std::span<double> terms, Round round) {
  for (std::size_t width = 1; width < terms.size(); width *= 2) {
    for (std::size_t i = 0; i + width < terms.size(); i += 2 * width) {
      terms[i] = round(terms[i] + terms[i + width]);
    }
  }
  return terms[0];
}

}  // namespace

// One barrier is enough: what is published before the next one never disturbs slots that others
// still read.

void sum_from_slots(RankSum sum, int first_rank) {
  auto& [ranks, accumulate, data] = sum;
  const int world = ranks.world_size().value;
  ranks.publish<double>(data.values);
  ranks.barrier();
  std::ranges::copy(ranks.slot<double>(Rank{first_rank % world}), data.values.begin());
  for (int i = 1; i < world; ++i) {
    const Rank next{(first_rank + i) % world};
    add_rounded(accumulate, data.values, 0, ranks.slot<double>(next));
  }
}

void sum_pairwise_from_slots(RankSum sum) {
  auto& [ranks, accumulate, data] = sum;
  const auto world = static_cast<std::size_t>(ranks.world_size().value);
  ranks.publish<double>(data.values);
  ranks.barrier();
  std::array<const double*, kMaxWorldSize> slots{};
  for (std::size_t r = 0; r < world; ++r) {
    slots[r] = ranks.slot<double>(Rank{static_cast<int>(r)}).data();
  }
  std::array<double, kMaxWorldSize> terms{};
  const auto gather = [&](std::size_t element) {
    for (std::size_t r = 0; r < world; ++r) terms[r] = slots[r][element];
    return std::span(terms).first(world);
  };
  data.values[kCountAt] = pairwise(gather(kCountAt), [](double value) { return value; });
  for (std::size_t e = kLossAt; e < data.values.size(); ++e) {
    data.values[e] =
        pairwise(gather(e), [dtype = accumulate](double value) { return round_to(dtype, value); });
  }
}

}  // namespace shardproof
