#include <algorithm>
#include <cmath>
#include <utility>

#include "case/cut.h"
#include "case/simpler_steps.h"

namespace shardproof {
namespace {

/// Longer runs are left in their order: exchanging neighbours takes as many candidates as things.
constexpr std::size_t kMostReordered = 64;

template <class Visit>
void for_each_micro_batch(Case& problem, Visit visit) {
  for (Step& step : problem.steps) {
    for (Shard& shard : step.shards) {
      for (MicroBatch& batch : shard.micro_batches) visit(batch);
    }
  }
}

void unpad(MicroBatch& batch) {
  std::fill(batch.mask.begin(), batch.mask.end(), std::uint8_t{1});
  const auto finite = [](double value) { return std::isfinite(value) ? value : 0.0; };
  std::transform(batch.x.begin(), batch.x.end(), batch.x.begin(), finite);
  std::transform(batch.y.begin(), batch.y.end(), batch.y.begin(), finite);
}

bool is_padded(const MicroBatch& batch) { return batch.valid().value != batch.rows(); }

bool offer_without_absences(const Case& problem, const Offer& offer) {
  Case all_used = problem;
  for_each_micro_batch(all_used, [](MicroBatch& batch) { batch.absent.clear(); });
  if (!offer(std::move(all_used))) return false;
  Case changed = problem;
  bool more = true;
  for_each_micro_batch(changed, [&](MicroBatch& batch) {
    if (!more || batch.absent.empty()) return;
    const std::vector<std::uint8_t> before = std::exchange(batch.absent, {});
    more = offer(changed);
    batch.absent = before;
  });
  return more;
}

bool offer_without_padding(const Case& problem, const Offer& offer) {
  Case all_valid = problem;
  for_each_micro_batch(all_valid, unpad);
  if (!offer(std::move(all_valid))) return false;
  Case changed = problem;
  bool more = true;
  for_each_micro_batch(changed, [&](MicroBatch& batch) {
    if (!more || !is_padded(batch)) return;
    const MicroBatch before = batch;
    unpad(batch);
    more = offer(changed);
    batch = before;
  });
  return more;
}

void move_last_row(MicroBatch& from, MicroBatch& to, int features, int outputs) {
  const auto move_tail = [](auto& source, auto& target, int count) {
    target.insert(target.end(), source.end() - count, source.end());
    source.resize(source.size() - static_cast<std::size_t>(count));
  };
  move_tail(from.x, to.x, features);
  move_tail(from.y, to.y, outputs);
  move_tail(from.mask, to.mask, 1);
}

/// Moves a row of the longest micro-batch of a step to the shortest.
bool offer_less_spread(const Case& problem, const Offer& offer) {
  for (std::size_t s = 0; s < problem.steps.size(); ++s) {
    Case evened = problem;
    MicroBatch* longest = nullptr;
    MicroBatch* shortest = nullptr;
    for (Shard& shard : evened.steps[s].shards) {
      for (MicroBatch& batch : shard.micro_batches) {
        if (longest == nullptr || batch.rows() > longest->rows()) longest = &batch;
        if (shortest == nullptr || batch.rows() < shortest->rows()) shortest = &batch;
      }
    }
    if (longest == nullptr || longest->rows() - shortest->rows() < 2) continue;
    move_last_row(*longest, *shortest, problem.model.features, problem.model.outputs());
    if (!offer(std::move(evened))) return false;
  }
  return true;
}

Positions exchanged(int count, int first) {
  Positions order = all_positions(count);
  std::swap(order[static_cast<std::size_t>(first)], order[static_cast<std::size_t>(first) + 1]);
  return order;
}

bool offer_shards_exchanged(const Case& problem, const Offer& offer) {
  const auto ranks = static_cast<std::size_t>(problem.world_size().value);
  for (std::size_t r = 0; r + 1 < ranks; ++r) {
    Case changed = problem;
    for (Step& step : changed.steps) std::swap(step.shards[r], step.shards[r + 1]);
    if (!offer(std::move(changed))) return false;
  }
  return true;
}

bool offer_micro_batches_exchanged(const Case& problem, const Offer& offer) {
  for (std::size_t s = 0; s < problem.steps.size(); ++s) {
    const auto count = static_cast<std::size_t>(problem.steps[s].micro_batches());
    for (std::size_t m = 0; m + 1 < std::min(count, kMostReordered); ++m) {
      Case changed = problem;
      for (Shard& shard : changed.steps[s].shards) {
        std::swap(shard.micro_batches[m], shard.micro_batches[m + 1]);
      }
      if (!offer(std::move(changed))) return false;
    }
  }
  return true;
}

bool offer_rows_exchanged(const Case& problem, const Offer& offer) {
  Case changed = problem;
  bool more = true;
  for_each_micro_batch(changed, [&](MicroBatch& batch) {
    const int rows = std::min(batch.rows(), static_cast<int>(kMostReordered));
    for (int row = 0; more && row + 1 < rows; ++row) {
      const MicroBatch before = batch;
      batch = with_rows(before, exchanged(before.rows(), row), problem.model.features,
                        problem.model.outputs());
      more = offer(changed);
      batch = before;
    }
  });
  return more;
}

bool offer_columns_exchanged(const Case& problem, const Offer& offer) {
  const int features = problem.model.features;
  for (int d = 0; d + 1 < std::min(features, static_cast<int>(kMostReordered)); ++d) {
    if (!offer(with_features(problem, exchanged(features, d)))) return false;
  }
  for (std::size_t layer = 0; layer < problem.model.layers.size(); ++layer) {
    const int outputs = problem.model.layers[layer].outputs;
    for (int k = 0; k + 1 < std::min(outputs, static_cast<int>(kMostReordered)); ++k) {
      std::vector<LayerCut> cuts = uncut_layers(problem.model);
      cuts[layer].outputs = exchanged(outputs, k);
      if (!offer(with_layers(problem, cuts))) return false;
    }
  }
  return true;
}

bool offer_layers_exchanged(const Case& problem, const Offer& offer) {
  const std::size_t layers = problem.model.layers.size();
  for (std::size_t l = 0; l + 1 < std::min(layers, kMostReordered); ++l) {
    std::vector<LayerCut> cuts = uncut_layers(problem.model);
    std::swap(cuts[l], cuts[l + 1]);
    if (!offer(with_layers(problem, cuts))) return false;
  }
  return true;
}

bool offer_steps_exchanged(const Case& problem, const Offer& offer) {
  for (std::size_t s = 0; s + 1 < problem.steps.size(); ++s) {
    Case changed = problem;
    std::swap(changed.steps[s], changed.steps[s + 1]);
    if (!offer(std::move(changed))) return false;
  }
  return true;
}

bool offer_simpler_arrival(const Case& problem, const Offer& offer) {
  if (problem.arrival.empty()) return true;
  Case plain = problem;
  plain.arrival.clear();
  if (!offer(plain)) return false;
  plain.arrival = all_positions(problem.world_size().value);
  if (!offer(std::move(plain))) return false;
  for (std::size_t i = 0; i + 1 < problem.arrival.size(); ++i) {
    if (problem.arrival[i] < problem.arrival[i + 1]) continue;
    Case sorted = problem;
    std::swap(sorted.arrival[i], sorted.arrival[i + 1]);
    if (!offer(std::move(sorted))) return false;
  }
  return true;
}

}  // namespace

bool offer_simpler_counts(const Case& problem, const Offer& offer) {
  return offer_without_padding(problem, offer) && offer_without_absences(problem, offer) &&
         offer_less_spread(problem, offer);
}

bool offer_simpler_order(const Case& problem, const Offer& offer) {
  return offer_shards_exchanged(problem, offer) && offer_micro_batches_exchanged(problem, offer) &&
         offer_rows_exchanged(problem, offer) && offer_steps_exchanged(problem, offer) &&
         offer_columns_exchanged(problem, offer) && offer_layers_exchanged(problem, offer) &&
         offer_simpler_arrival(problem, offer) && offer(problem);
}

}  // namespace shardproof
