#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "shardproof/case/case.h"

namespace shardproof::test {

/// A valid case with everything that a case can have: layers, steps, micro-batches, padding with
/// garbage, absent layers, arrival. Independent of the generators, which have tests of their own.
class RandomCase {
 public:
  explicit RandomCase(unsigned seed, int dtypes = 2) : engine_(seed), dtypes_(dtypes) {}

  Case draw(int max_ranks = 5, int max_rows = 4) {
    Case problem;
    problem.dtype = all_dtypes()[static_cast<std::size_t>(below(dtypes_))];
    problem.model.features = below(4) + 1;
    const int layers = below(3) + 1;
    std::size_t parameters = 0;
    for (int l = 0; l < layers; ++l) {
      const Layer layer{below(3) + 1, chance(2)};
      problem.model.layers.push_back(layer);
      parameters += static_cast<std::size_t>(layer.outputs) *
                    static_cast<std::size_t>(problem.model.features + (layer.bias ? 1 : 0));
    }
    for (std::size_t i = 0; i < parameters; ++i) {
      problem.model.parameters.push_back(value(problem.dtype));
    }
    const int ranks = below(max_ranks) + 1;
    problem.mesh.axes.front().size = ranks;
    const int steps = below(3) + 1;
    for (int s = 0; s < steps; ++s) add_step(problem, ranks, max_rows);
    problem.learning_rate = round_to(problem.dtype, 0.001 * (below(1000) + 1));
    if (chance(2)) {
      for (int r = 0; r < ranks; ++r) problem.arrival.push_back(r);
      std::shuffle(problem.arrival.begin(), problem.arrival.end(), engine_);
    }
    return problem;
  }

  int below(int limit) { return std::uniform_int_distribution<int>(0, limit - 1)(engine_); }
  bool chance(int one_in) { return below(one_in) == 0; }

 private:
  double value(Dtype dtype) {
    switch (below(4)) {
      case 0:
        return below(5) - 2;
      case 1:
        return round_to(dtype, std::normal_distribution<double>()(engine_));
      case 2:
        return round_to(dtype, std::ldexp(below(2001) - 1000, below(41) - 20) *
                                   (dtype == Dtype::f16 ? 0x1p-20 : 1));
      default:
        return 0;
    }
  }

  double garbage(Dtype dtype) {
    switch (below(4)) {
      case 0:
        return std::numeric_limits<double>::quiet_NaN();
      case 1:
        return -std::numeric_limits<double>::infinity();
      default:
        return value(dtype);
    }
  }

  void add_step(Case& problem, int ranks, int max_rows) {
    const int micro_batches = below(3) + 1;
    Step step;
    step.shards.resize(static_cast<std::size_t>(ranks));
    for (Shard& shard : step.shards) {
      for (int m = 0; m < micro_batches; ++m) add_micro_batch(problem, shard, below(max_rows + 1));
    }
    // So that the step is not without a row, which no drawn case is either.
    if (step.valid().value == 0) add_micro_batch_row(problem, step);
    problem.steps.push_back(std::move(step));
  }

  void add_micro_batch(const Case& problem, Shard& shard, int rows) {
    MicroBatch& batch = shard.micro_batches.emplace_back();
    for (int row = 0; row < rows; ++row) add_row(problem, batch, !chance(4));
    if (!chance(4)) return;
    for (std::size_t l = 0; l < problem.model.layers.size(); ++l) {
      batch.absent.push_back(chance(2) ? 1 : 0);
    }
  }

  void add_micro_batch_row(const Case& problem, Step& step) {
    add_row(problem, step.shards.back().micro_batches.back(), true);
  }

  void add_row(const Case& problem, MicroBatch& batch, bool valid) {
    batch.mask.push_back(valid ? 1 : 0);
    const auto fill = [&](std::vector<double>& array, int columns) {
      for (int i = 0; i < columns; ++i) {
        array.push_back(valid ? value(problem.dtype) : garbage(problem.dtype));
      }
    };
    fill(batch.x, problem.model.features);
    fill(batch.y, problem.model.outputs());
  }

  std::mt19937_64 engine_;
  int dtypes_;  // of all_dtypes(), the first so many
};

}  // namespace shardproof::test
