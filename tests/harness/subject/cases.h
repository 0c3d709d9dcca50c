#pragma once

#include <vector>

#include "shardproof/case/case.h"

namespace shardproof::test {

/// One feature, one output, no bias, parameter 1, y = 0: a row x adds 2 x^2 to the gradient and x^2
/// to the loss.
///
/// \param steps  x of every row, [step][shard][micro-batch][row]
inline SharedCase case_of(const std::vector<std::vector<std::vector<std::vector<double>>>>& steps) {
  auto problem = std::make_shared<Case>();
  problem->model = {.features = 1, .layers = {{.outputs = 1, .bias = false}}, .parameters = {1}};
  problem->mesh.axes.front().size = static_cast<int>(steps.front().size());
  for (const auto& shards : steps) {
    Step& step = problem->steps.emplace_back();
    for (const auto& micro_batches : shards) {
      Shard& shard = step.shards.emplace_back();
      for (const std::vector<double>& x : micro_batches) {
        shard.micro_batches.push_back({.x = x,
                                       .y = std::vector<double>(x.size(), 0.0),
                                       .mask = std::vector<std::uint8_t>(x.size(), 1),
                                       .absent = {}});
      }
    }
  }
  return problem;
}

/// Two ranks, two steps, one row each: gradients 2 and 8, then 18 and 32.
inline SharedCase two_ranks() { return case_of({{{{1}}, {{2}}}, {{{3}}, {{4}}}}); }

}  // namespace shardproof::test
