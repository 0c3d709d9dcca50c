#include <algorithm>
#include <cmath>

#include "subject/faults/faulty_step.h"
#include "subject/faults/misplaced.h"
#include "subject/faults/narrow.h"

namespace shardproof {
namespace {

/// Puts change(element, value) for every element that is touched, the loss with them.
template <class Change>
void change_elements(const FaultyStep& step, Contribution& contribution, Change change) {
  const std::size_t size = step.setup.shape->size;
  const std::span<double> values = contribution.gradient.values();
  for (std::size_t e = 0; e < size; ++e) {
    if (step.touches_element(e)) values[e] = change(e, values[e]);
  }
  if (step.touches_element(size)) contribution.loss = change(size, contribution.loss);
}

void reweigh(const Weight& weight, const FaultyStep& step, std::size_t k, Contribution& c) {
  if (c.valid.value == 0) return;
  const auto all = static_cast<double>(step.counts.valid());
  const auto own = static_cast<double>(c.valid.value);
  change_elements(step, c, [&](std::size_t element, double value) {
    const TermPlace at = own_place(step, k, element);
    const double factor = value_of(weight, step, at, all, own);
    return factor == 0 ? 0.0 : round_to(step.setup.dtype, value * factor);
  });
}

void change(const Weigh& weigh, const FaultyStep& step, std::size_t k, Contribution& c) {
  if (weigh.term) reweigh(*weigh.term, step, k, c);
}

void change(const Recount& recount, const FaultyStep& step, std::size_t, Contribution& c) {
  const auto right = static_cast<double>(c.valid.value);
  if (recount.as == Recount::As::zero) c.valid = ValidCount{0};
  if (recount.as == Recount::As::one) c.valid = ValidCount{1};
  if (recount.as == Recount::As::rows) c.valid = ValidCount{c.rows};
  const auto counted = static_cast<double>(c.valid.value);
  // A reducer of means multiplies by the count, one of sums does not.
  if (recount.weighs != step.local_sums() || right == 0 || counted == right) return;
  const double factor = step.local_sums() ? counted / right : right / counted;
  const auto changed = [&](double value) { return round_to(step.setup.dtype, value * factor); };
  std::ranges::transform(c.gradient.values(), c.gradient.values().begin(), changed);
  c.loss = changed(c.loss);
}

void change(const Misplaced& misplaced, const FaultyStep& step, std::size_t, Contribution& c) {
  const Tree right = c.gradient;
  for (std::size_t e = 0; e < right.values().size(); ++e) {
    if (!step.touches_element(e)) continue;
    const auto source = source_of(misplaced, right.shape(), c.absent, e);
    c.gradient.values()[e] = source ? right.values()[*source] : 0.0;
  }
}

void change(const Stale& stale, const FaultyStep& step, std::size_t k, Contribution& c) {
  if (stale == Stale::result || k >= step.previous.size()) return;
  const Contribution& before = step.previous[k];
  // Of sums, the mean over the rows that were, for as many rows as there are.
  const bool sums = step.local_sums() && before.valid.value > 0;
  const double factor =
      sums ? static_cast<double>(c.valid.value) / static_cast<double>(before.valid.value) : 1;
  change_elements(step, c, [&](std::size_t element, double) {
    const bool is_loss = element == step.setup.shape->size;
    const double value = is_loss ? before.loss : before.gradient.values()[element];
    return factor == 1 ? value : round_to(step.setup.dtype, value * factor);
  });
}

void change(const Special& special, const FaultyStep& step, std::size_t, Contribution& c) {
  const Tree right = c.gradient;
  const TreeShape& shape = right.shape();
  const double largest = largest_of(right.values());
  double own = 0;
  for (const Contribution& each : step.own) {
    own = std::max(own, largest_of(each.gradient.values()));
  }
  const double scale = step.first_scale / scale_of(std::span(&own, 1));
  for (std::size_t e = 0; e < shape.size; ++e) {
    if (!step.touches_element(e)) continue;
    double& value = c.gradient.values()[e];
    const LeafShape& leaf = leaf_of(shape, e);
    if (special == Special::low_half) {
      value = half_in_memory(right.values().subspan(leaf.offset, leaf.size()), e - leaf.offset);
    } else if (special == Special::first_scale) {
      value = round_to(step.setup.dtype, value * scale);
    } else if (special == Special::small_lost && std::abs(value) < largest / 8) {
      value = 0;
    }
  }
}

}  // namespace

std::vector<Contribution> changed_contributions(const FaultyStep& step) {
  std::vector<Contribution> changed(step.own.begin(), step.own.end());
  const auto* weigh = std::get_if<Weigh>(&step.fault.what);
  for (std::size_t k = 0; k < changed.size(); ++k) {
    if (!step.touches_batch(k)) {
      if (weigh != nullptr && weigh->rest) reweigh(*weigh->rest, step, k, changed[k]);
      continue;
    }
    std::visit([&](const auto& what) { change(what, step, k, changed[k]); }, step.fault.what);
  }
  return changed;
}

}  // namespace shardproof
