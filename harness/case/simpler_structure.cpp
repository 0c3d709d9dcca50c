#include <algorithm>
#include <utility>

#include "case/cut.h"
#include "case/simpler_steps.h"

namespace shardproof {
namespace {

/// Offers what is left of `count` things: each half, then ever smaller gaps down to single ones.
/// `keep` makes the case of the positions that remain.
template <class Keep>
bool offer_subsets(int count, const Offer& offer, Keep keep) {
  if (count < 2) return true;
  const int half = (count + 1) / 2;
  if (!offer(keep(positions_between(0, half)))) return false;
  if (!offer(keep(positions_between(half, count)))) return false;
  for (int gap = half / 2; gap >= 1; gap /= 2) {
    // From the end: what stands further in front is simpler.
    for (int last = count; last > 0; last -= gap) {
      if (!offer(keep(positions_outside(count, std::max(0, last - gap), last)))) return false;
    }
  }
  return true;
}

/// Offers two neighbours made one: for what depends on the number of rows, say.
template <class Merge>
bool offer_merged(int count, const Offer& offer, Merge merge) {
  for (int first = 0; first + 1 < count; ++first) {
    if (!offer(merge(first))) return false;
  }
  return true;
}

/// A case in which `keep(rows)` says which rows of each micro-batch remain.
template <class Keep>
Case with_rows_kept(const Case& problem, Keep keep) {
  Case cut = problem;
  cut.given = nullptr;
  const int outputs = problem.model.outputs();
  for (Step& step : cut.steps) {
    for (Shard& shard : step.shards) {
      for (MicroBatch& batch : shard.micro_batches) {
        batch = with_rows(batch, keep(batch), problem.model.features, outputs);
      }
    }
  }
  return cut;
}

Positions valid_rows(const MicroBatch& batch) {
  Positions rows;
  for (int row = 0; row < batch.rows(); ++row) {
    if (batch.mask[static_cast<std::size_t>(row)] != 0) rows.push_back(row);
  }
  return rows;
}

bool offer_fewer_rows_everywhere(const Case& problem, const Offer& offer) {
  const auto first = [](int most) {
    return [most](const MicroBatch& batch) {
      return positions_between(0, std::min(most, batch.rows()));
    };
  };
  const auto first_half = [](const MicroBatch& batch) {
    return positions_between(0, (batch.rows() + 1) / 2);
  };
  return offer(with_rows_kept(problem, first(1))) && offer(with_rows_kept(problem, first(2))) &&
         offer(with_rows_kept(problem, valid_rows)) && offer(with_rows_kept(problem, first_half));
}

/// Sets the first feature to 1 in every row without any: its residual, which only a bias saw,
/// reaches the kernel.
Case with_rows_seen_by_kernels(Case problem) {
  const int features = problem.model.features;
  for (Step& step : problem.steps) {
    for (Shard& shard : step.shards) {
      for (MicroBatch& batch : shard.micro_batches) {
        for (auto row = batch.x.begin(); row != batch.x.end(); row += features) {
          if (std::all_of(row, row + features, [](double x) { return x == 0; })) *row = 1;
        }
      }
    }
  }
  return problem;
}

bool offer_fewer_rows_of(const Case& problem, std::size_t step, std::size_t shard,
                         std::size_t micro_batch, const Offer& offer) {
  const MicroBatch& batch = problem.steps[step].shards[shard].micro_batches[micro_batch];
  const auto keep = [&](const Positions& rows) {
    Case cut = problem;
    cut.given = nullptr;
    cut.steps[step].shards[shard].micro_batches[micro_batch] =
        with_rows(batch, rows, problem.model.features, problem.model.outputs());
    return cut;
  };
  if (batch.rows() == 0) return true;
  return offer(keep({})) && offer_subsets(batch.rows(), offer, keep);
}

}  // namespace

bool offer_fewer_steps(const Case& problem, const Offer& offer) {
  const int count = static_cast<int>(problem.steps.size());
  if (count < 2) return true;
  for (int step = 0; step < count; ++step) {
    if (!offer(with_steps(problem, {step}))) return false;
  }
  if (!offer_subsets(count, offer,
                     [&](const Positions& steps) { return with_steps(problem, steps); })) {
    return false;
  }
  return offer_merged(count, offer, [&](int first) { return with_steps_merged(problem, first); });
}

bool offer_fewer_ranks(const Case& problem, const Offer& offer) {
  const int count = problem.world_size().value;
  if (!offer_subsets(count, offer,
                     [&](const Positions& ranks) { return with_ranks(problem, ranks); })) {
    return false;
  }
  return offer_merged(count, offer, [&](int first) { return with_ranks_merged(problem, first); });
}

bool offer_fewer_micro_batches(const Case& problem, const Offer& offer) {
  Case single = problem;
  for (std::size_t s = 0; s < problem.steps.size(); ++s) {
    single = with_micro_batches(single, static_cast<int>(s), {0});
  }
  if (!offer(std::move(single))) return false;
  for (std::size_t s = 0; s < problem.steps.size(); ++s) {
    const auto keep = [&](const Positions& micro_batches) {
      return with_micro_batches(problem, static_cast<int>(s), micro_batches);
    };
    const auto merge = [&](int first) {
      return with_micro_batches_merged(problem, static_cast<int>(s), first);
    };
    const int count = problem.steps[s].micro_batches();
    if (!offer_subsets(count, offer, keep) || !offer_merged(count, offer, merge)) return false;
  }
  return true;
}

bool offer_fewer_rows(const Case& problem, const Offer& offer) {
  if (!offer_fewer_rows_everywhere(problem, offer)) return false;
  for (std::size_t step = problem.steps.size(); step-- > 0;) {
    const std::vector<Shard>& shards = problem.steps[step].shards;
    for (std::size_t shard = shards.size(); shard-- > 0;) {
      for (std::size_t batch = shards[shard].micro_batches.size(); batch-- > 0;) {
        if (!offer_fewer_rows_of(problem, step, shard, batch, offer)) return false;
      }
    }
  }
  return true;
}

bool offer_fewer_leaves(const Case& problem, const Offer& offer) {
  const std::vector<LayerCut> all = uncut_layers(problem.model);
  const auto keep = [&](const Positions& layers) {
    std::vector<LayerCut> cuts;
    for (int layer : layers) cuts.push_back(all[static_cast<std::size_t>(layer)]);
    return with_layers(problem, cuts);
  };
  if (!offer_subsets(static_cast<int>(all.size()), offer, keep)) return false;
  std::vector<LayerCut> without_biases = all;
  for (LayerCut& cut : without_biases) cut.bias = false;
  Case kernels_only = with_layers(problem, without_biases);
  if (!offer(kernels_only)) return false;
  if (!offer(with_rows_seen_by_kernels(std::move(kernels_only)))) return false;
  for (std::size_t layer = all.size(); layer-- > 0;) {
    std::vector<LayerCut> without_one = all;
    without_one[layer].bias = false;
    if (!offer(with_layers(problem, without_one))) return false;
  }
  return true;
}

bool offer_fewer_outputs(const Case& problem, const Offer& offer) {
  std::vector<LayerCut> single = uncut_layers(problem.model);
  for (LayerCut& cut : single) cut.outputs = {0};
  if (!offer(with_layers(problem, single))) return false;
  for (std::size_t layer = 0; layer < problem.model.layers.size(); ++layer) {
    const auto keep = [&](const Positions& outputs) {
      std::vector<LayerCut> cuts = uncut_layers(problem.model);
      cuts[layer].outputs = outputs;
      return with_layers(problem, cuts);
    };
    if (!offer_subsets(problem.model.layers[layer].outputs, offer, keep)) return false;
  }
  return true;
}

bool offer_fewer_features(const Case& problem, const Offer& offer) {
  if (!offer(with_features(problem, {0}))) return false;
  return offer_subsets(problem.model.features, offer,
                       [&](const Positions& features) { return with_features(problem, features); });
}

}  // namespace shardproof
