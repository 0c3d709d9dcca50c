#include <algorithm>
#include <utility>

#include "plan.h"

namespace shardproof {
namespace {

/// Gives every other shard contributions of zero: parameters and targets are zero there, and so
/// are the residuals of the first step.
void cool(const std::vector<int>& hot, Case& problem) {
  std::fill(problem.model.parameters.begin(), problem.model.parameters.end(), 0.0);
  for (Step& step : problem.steps) {
    for (std::size_t shard = 0; shard < step.shards.size(); ++shard) {
      if (std::find(hot.begin(), hot.end(), static_cast<int>(shard)) != hot.end()) continue;
      for (MicroBatch& rows : step.shards[shard].micro_batches) {
        const std::size_t outputs = rows.mask.empty() ? 1 : rows.y.size() / rows.mask.size();
        for (std::size_t i = 0; i < rows.y.size(); ++i) {
          if (rows.mask[i / outputs] != 0) rows.y[i] = 0;
        }
      }
    }
  }
}

/// Leaves one row of the shard with one input and one target other than zero.
void leave_one_element(Source& source, int hot, Case& problem) {
  const auto features = static_cast<std::size_t>(problem.model.features);
  const auto outputs = static_cast<std::size_t>(problem.model.outputs());
  for (Step& step : problem.steps) {
    const std::size_t feature = static_cast<std::size_t>(source.below(problem.model.features));
    const std::size_t output = static_cast<std::size_t>(source.below(problem.model.outputs()));
    bool first = true;
    for (MicroBatch& rows : step.shards[static_cast<std::size_t>(hot)].micro_batches) {
      for (std::size_t row = 0; row < rows.mask.size(); ++row) {
        if (rows.mask[row] == 0) continue;
        std::fill_n(rows.x.begin() + static_cast<std::ptrdiff_t>(row * features), features, 0.0);
        std::fill_n(rows.y.begin() + static_cast<std::ptrdiff_t>(row * outputs), outputs, 0.0);
        if (!std::exchange(first, false)) continue;
        rows.x[row * features + feature] = source.between(1, 3);
        rows.y[row * outputs + output] = source.sign() * source.between(1, 4);
      }
    }
  }
}

/// Shards with a valid row in every step, in a drawn order.
std::vector<int> filled_shards(Source& source, const Case& problem) {
  std::vector<int> filled;
  for (int shard = 0; shard < problem.world_size().value; ++shard) {
    const auto is_filled = [&](const Step& step) {
      return step.shards[static_cast<std::size_t>(shard)].valid().value > 0;
    };
    if (std::all_of(problem.steps.begin(), problem.steps.end(), is_filled)) filled.push_back(shard);
  }
  source.shuffle(std::span<int>(filled));
  return filled;
}

void spread(Source& source, Spread wanted, Case& problem) {
  std::vector<int> hot = filled_shards(source, problem);
  if (wanted == Spread::all || hot.empty()) return;
  hot.resize(std::min<std::size_t>(hot.size(), wanted == Spread::two_ranks ? 2 : 1));
  cool(hot, problem);
  if (wanted == Spread::one_element) leave_one_element(source, hot.front(), problem);
}

/// Moves the targets that lie on the prediction, which small integers often do.
void move_residuals(Case& problem) {
  const Model& model = problem.model;
  const auto features = static_cast<std::size_t>(model.features);
  for (Step& step : problem.steps) {
    for (Shard& shard : step.shards) {
      for (MicroBatch& rows : shard.micro_batches) {
        for (std::size_t row = 0; row < rows.mask.size(); ++row) {
          if (rows.mask[row] == 0) continue;
          for (int k = 0; k < model.outputs(); ++k) {
            double& y = rows.y[row * static_cast<std::size_t>(model.outputs()) +
                               static_cast<std::size_t>(k)];
            if (prediction(model, rows.x.data() + row * features, k) == y) y += 1;
          }
        }
      }
    }
  }
}

}  // namespace

Case build(Source& source, Plan plan) {
  Case problem;
  problem.model = std::move(plan.model);
  problem.dtype = plan.dtype;
  problem.learning_rate = plan.learning_rate;
  problem.mesh.axes.front().size = static_cast<int>(plan.steps.front().shards.size());
  problem.arrival = std::move(plan.arrival);
  const Filling filling{.palette = {.family = plan.family,
                                    .dtype = plan.dtype,
                                    .steps = static_cast<int>(plan.steps.size())},
                        .padding = plan.padding,
                        .absent_layers = plan.absent_layers};
  fill_parameters(source, filling.palette, problem.model);
  problem.steps.reserve(plan.steps.size());
  for (const Split& split : plan.steps) {
    problem.steps.push_back(draw_step(source, split, problem.model, filling));
  }
  if (plan.spread != Spread::all) spread(source, plan.spread, problem);
  if (plan.moved_residuals) move_residuals(problem);
  make_special(plan.special, problem);
  return problem;
}

}  // namespace shardproof
