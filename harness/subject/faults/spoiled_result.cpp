#include <algorithm>
#include <limits>
#include <utility>

#include "subject/faults/faulty_step.h"
#include "subject/faults/narrow.h"
#include "subject/reducers/rounded.h"

namespace shardproof {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Puts change(element, value) for every element of the result that is touched.
template <class Change>
void change_elements(const FaultyStep& step, Reduced& reduced, Change change) {
  if (!touches_rank(step.fault.when, step.place)) return;
  const std::size_t size = step.setup.shape->size;
  const std::span<double> values = reduced.gradient.values();
  for (std::size_t e = 0; e < size; ++e) {
    if (step.touches_element(e)) values[e] = change(e, values[e]);
  }
  if (reduced.loss && step.touches_element(size)) *reduced.loss = change(size, *reduced.loss);
  reduced.norm = euclidean_norm(std::as_const(reduced.gradient).values(), step.setup.dtype);
}

/// The sum of the own means of micro-batches that are touched, weighted.
double own_part(const Weight& weight, const FaultyStep& step, std::size_t element) {
  const Dtype dtype = step.setup.dtype;
  double sum = 0;
  for (std::size_t k = 0; k < step.own.size(); ++k) {
    const Contribution& c = step.own[k];
    if (c.valid.value == 0 || !step.touches_batch(k)) continue;
    const double rows = step.local_sums() ? static_cast<double>(c.valid.value) : 1;
    const double factor = value_of(weight, step, own_place(step, k, element), 1, rows);
    const bool is_loss = element == step.setup.shape->size;
    const double value = is_loss ? c.loss : c.gradient.values()[element];
    sum = round_to(dtype, sum + round_to(dtype, value * factor));
  }
  return sum;
}

void spoil(const Weigh& weigh, const FaultyStep& step, Reduced& reduced) {
  if (!weigh.result && !weigh.own) return;
  const Dtype dtype = step.setup.dtype;
  change_elements(step, reduced, [&](std::size_t element, double value) {
    if (weigh.result) {
      const double factor = value_of(*weigh.result, step, own_place(step, 0, element), 1, 1);
      value = round_to(dtype, value * factor);
    }
    if (!weigh.own) return value;
    const double own = own_part(*weigh.own, step, element);
    return weigh.own_alone ? own : round_to(dtype, value + own);
  });
}

bool some_rank_empty(const FaultyStep& step) {
  for (std::size_t r = 0; r < step.counts.shards.size(); ++r) {
    if (step.counts.valid_of(r) == 0) return true;
  }
  return false;
}

/// The norm of the own chunk of the result, with the own means elsewhere.
std::optional<double> own_norm(const FaultyStep& step, const Reduced& reduced) {
  const Weight mean{.times = {Count::valid}, .over = {Count::own_valid}};
  std::vector<double> seen(reduced.gradient.values().begin(), reduced.gradient.values().end());
  for (std::size_t e = 0; e < seen.size(); ++e) {
    if (in_own_chunk(seen.size(), step.place.world, step.place.rank, e)) continue;
    seen[e] = own_part(mean, step, e);
  }
  return euclidean_norm(seen, step.setup.dtype);
}

void spoil(Special special, const FaultyStep& step, Reduced& reduced) {
  const auto ranks = static_cast<double>(step.place.world);
  const Dtype dtype = step.setup.dtype;
  const auto through_half = [&](double times) {
    change_elements(step, reduced, [&](std::size_t, double value) {
      return round_to(dtype, round_to(Dtype::f16, round_to(dtype, value * times)) / times);
    });
  };
  if (special == Special::half_sum) through_half(ranks);
  if (special == Special::half_share) through_half(1.0 / 1024);
  if (special == Special::nan_from_empty && some_rank_empty(step)) {
    change_elements(step, reduced, [](std::size_t, double) { return kNaN; });
  }
  if (!touches_rank(step.fault.when, step.place)) return;
  const auto rank = static_cast<std::size_t>(step.place.rank);
  if (special == Special::own_count) {
    reduced.count = static_cast<double>(step.counts.valid_of(rank));
  }
  if (special == Special::ranks_as_count) reduced.count = ranks;
  if (special == Special::own_norm) reduced.norm = own_norm(step, reduced);
}

}  // namespace

void spoil(Reduced& reduced, const FaultyStep& step, const std::optional<Reduced>& previous) {
  const Operator& what = step.fault.what;
  if (const auto* weigh = std::get_if<Weigh>(&what)) spoil(*weigh, step, reduced);
  if (const auto* special = std::get_if<Special>(&what)) spoil(*special, step, reduced);
  if (what != Operator{Stale::result} || !previous) return;
  if (!touches_rank(step.fault.when, step.place)) return;
  const std::span<const double> earlier = previous->gradient.values();
  change_elements(step, reduced, [&](std::size_t element, double) {
    return element < earlier.size() ? earlier[element] : *previous->loss;
  });
  reduced.count = previous->count;
}

}  // namespace shardproof
