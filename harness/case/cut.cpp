#include "case/cut.h"

#include <numeric>
#include <utility>

namespace shardproof {
namespace {

std::size_t index(int position) { return static_cast<std::size_t>(position); }

template <class T>
std::vector<T> picked(const std::vector<T>& from, const Positions& positions) {
  std::vector<T> kept;
  kept.reserve(positions.size());
  for (int position : positions) kept.push_back(from[index(position)]);
  return kept;
}

/// Columns of a row-by-row matrix.
std::vector<double> picked_columns(const std::vector<double>& matrix, int columns,
                                   const Positions& positions) {
  std::vector<double> kept;
  const std::size_t rows = matrix.size() / index(columns);
  kept.reserve(rows * positions.size());
  for (std::size_t row = 0; row < rows; ++row) {
    for (int column : positions) kept.push_back(matrix[row * index(columns) + index(column)]);
  }
  return kept;
}

std::vector<double> picked_rows(const std::vector<double>& matrix, int columns,
                                const Positions& positions) {
  std::vector<double> kept;
  kept.reserve(positions.size() * index(columns));
  for (int row : positions) {
    const auto first = matrix.begin() + std::ptrdiff_t{row} * columns;
    kept.insert(kept.end(), first, first + columns);
  }
  return kept;
}

template <class Change>
void for_each_micro_batch(Case& problem, Change change) {
  for (Step& step : problem.steps) {
    for (Shard& shard : step.shards) {
      for (MicroBatch& batch : shard.micro_batches) change(batch);
    }
  }
}

void append(MicroBatch& to, const MicroBatch& from) {
  if (to.rows() == 0 && (from.rows() > 0 || to.absent.empty())) to.absent = from.absent;
  to.x.insert(to.x.end(), from.x.begin(), from.x.end());
  to.y.insert(to.y.end(), from.y.begin(), from.y.end());
  to.mask.insert(to.mask.end(), from.mask.begin(), from.mask.end());
}

/// Positions of layer `l`'s first parameter, and of its first column in y.
struct LayerStart {
  std::size_t parameter = 0;
  int output = 0;
};

std::vector<LayerStart> layer_starts(const Model& model) {
  std::vector<LayerStart> starts;
  LayerStart next;
  for (const Layer& layer : model.layers) {
    starts.push_back(next);
    next.parameter += index(layer.outputs) * index(model.features + (layer.bias ? 1 : 0));
    next.output += layer.outputs;
  }
  return starts;
}

}  // namespace

Positions all_positions(int count) { return positions_between(0, count); }

Positions positions_but(int count, int left_out) {
  return positions_outside(count, left_out, left_out + 1);
}

Positions positions_between(int first, int last) {
  Positions positions(index(last - first));
  std::iota(positions.begin(), positions.end(), first);
  return positions;
}

Positions positions_outside(int count, int first, int last) {
  Positions positions = positions_between(0, first);
  for (int position = last; position < count; ++position) positions.push_back(position);
  return positions;
}

Case with_steps(const Case& problem, const Positions& steps) {
  Case cut{.model = problem.model,
           .steps = picked(problem.steps, steps),
           .mesh = problem.mesh,
           .dtype = problem.dtype,
           .learning_rate = problem.learning_rate,
           .arrival = problem.arrival,
           .given = nullptr};
  return cut;
}

Case with_ranks(const Case& problem, const Positions& ranks) {
  Case cut = problem;
  cut.given = nullptr;
  cut.mesh.axes.front().size = static_cast<int>(ranks.size());
  for (Step& step : cut.steps) step.shards = picked(step.shards, ranks);
  cut.arrival.clear();
  Positions renumbered(index(problem.world_size().value), -1);
  for (std::size_t i = 0; i < ranks.size(); ++i) renumbered[index(ranks[i])] = static_cast<int>(i);
  for (int rank : problem.arrival) {
    if (renumbered[index(rank)] >= 0) cut.arrival.push_back(renumbered[index(rank)]);
  }
  return cut;
}

Case with_micro_batches(const Case& problem, int step, const Positions& micro_batches) {
  Case cut = problem;
  cut.given = nullptr;
  for (Shard& shard : cut.steps[index(step)].shards) {
    shard.micro_batches = picked(shard.micro_batches, micro_batches);
  }
  return cut;
}

Case with_steps_merged(const Case& problem, int first) {
  const auto count = static_cast<int>(problem.steps.size());
  Case merged = with_steps(problem, positions_but(count, first + 1));
  const Step& second = problem.steps[index(first + 1)];
  std::vector<Shard>& shards = merged.steps[index(first)].shards;
  for (std::size_t s = 0; s < shards.size(); ++s) {
    const std::vector<MicroBatch>& behind = second.shards[s].micro_batches;
    shards[s].micro_batches.insert(shards[s].micro_batches.end(), behind.begin(), behind.end());
  }
  return merged;
}

Case with_ranks_merged(const Case& problem, int first) {
  Case merged = with_ranks(problem, positions_but(problem.world_size().value, first + 1));
  for (std::size_t s = 0; s < problem.steps.size(); ++s) {
    const Shard& second = problem.steps[s].shards[index(first + 1)];
    Shard& shard = merged.steps[s].shards[index(first)];
    for (std::size_t m = 0; m < second.micro_batches.size(); ++m) {
      append(shard.micro_batches[m], second.micro_batches[m]);
    }
  }
  return merged;
}

Case with_micro_batches_merged(const Case& problem, int step, int first) {
  const int count = problem.steps[index(step)].micro_batches();
  Case merged = with_micro_batches(problem, step, positions_but(count, first + 1));
  for (std::size_t s = 0; s < index(problem.world_size().value); ++s) {
    append(merged.steps[index(step)].shards[s].micro_batches[index(first)],
           problem.steps[index(step)].shards[s].micro_batches[index(first + 1)]);
  }
  return merged;
}

Case with_features(const Case& problem, const Positions& features) {
  Case cut = problem;
  cut.given = nullptr;
  cut.model.features = static_cast<int>(features.size());
  cut.model.parameters.clear();
  const std::vector<LayerStart> starts = layer_starts(problem.model);
  for (std::size_t l = 0; l < starts.size(); ++l) {
    const Layer& layer = problem.model.layers[l];
    const auto kernel =
        problem.model.parameters.begin() + static_cast<std::ptrdiff_t>(starts[l].parameter);
    const auto bias = kernel + std::ptrdiff_t{problem.model.features} * layer.outputs;
    const std::vector<double> kept = picked_rows({kernel, bias}, layer.outputs, features);
    std::vector<double>& parameters = cut.model.parameters;
    parameters.insert(parameters.end(), kept.begin(), kept.end());
    if (layer.bias) parameters.insert(parameters.end(), bias, bias + layer.outputs);
  }
  for_each_micro_batch(cut, [&](MicroBatch& batch) {
    batch.x = picked_columns(batch.x, problem.model.features, features);
  });
  return cut;
}

std::vector<LayerCut> uncut_layers(const Model& model) {
  std::vector<LayerCut> cuts;
  for (std::size_t l = 0; l < model.layers.size(); ++l) {
    cuts.push_back({.layer = static_cast<int>(l),
                    .outputs = all_positions(model.layers[l].outputs),
                    .bias = model.layers[l].bias});
  }
  return cuts;
}

Case with_layers(const Case& problem, const std::vector<LayerCut>& layers) {
  Case cut = problem;
  cut.given = nullptr;
  cut.model.layers.clear();
  cut.model.parameters.clear();
  Positions columns;  // of y
  Positions kept_layers;
  const std::vector<LayerStart> starts = layer_starts(problem.model);
  for (const LayerCut& layer_cut : layers) {
    const Layer& layer = problem.model.layers[index(layer_cut.layer)];
    const LayerStart& start = starts[index(layer_cut.layer)];
    kept_layers.push_back(layer_cut.layer);
    const bool bias = layer.bias && layer_cut.bias;
    cut.model.layers.push_back({static_cast<int>(layer_cut.outputs.size()), bias});
    for (int output : layer_cut.outputs) columns.push_back(start.output + output);
    const auto first =
        problem.model.parameters.begin() + static_cast<std::ptrdiff_t>(start.parameter);
    const int rows = problem.model.features + (bias ? 1 : 0);  // the bias lies behind the kernel
    const std::vector<double> kept = picked_columns(
        {first, first + std::ptrdiff_t{rows} * layer.outputs}, layer.outputs, layer_cut.outputs);
    cut.model.parameters.insert(cut.model.parameters.end(), kept.begin(), kept.end());
  }
  for_each_micro_batch(cut, [&](MicroBatch& batch) {
    batch.y = picked_columns(batch.y, problem.model.outputs(), columns);
    if (!batch.absent.empty()) batch.absent = picked(batch.absent, kept_layers);
  });
  return cut;
}

MicroBatch with_rows(const MicroBatch& batch, const Positions& rows, int features, int outputs) {
  return {.x = picked_rows(batch.x, features, rows),
          .y = picked_rows(batch.y, outputs, rows),
          .mask = picked(batch.mask, rows),
          .absent = batch.absent};
}

}  // namespace shardproof
