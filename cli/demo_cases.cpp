#include "demo_cases.h"

#include <utility>

namespace shardproof::cli {

Case sixteen_ranks() {
  constexpr int kRanks = 16;
  constexpr int kRowsOfRank = 2;
  Case problem;
  problem.model = {2, {{1, false}}, {0, 0}};
  problem.mesh = {{{"data", kRanks}}};
  Step step;
  double next = 0;  // of arange(64)
  for (int r = 0; r < kRanks; ++r) {
    MicroBatch rows;
    for (int i = 0; i < kRowsOfRank; ++i) {
      const double x0 = next++ / 32;
      const double x1 = next++ / 32;
      rows.x.insert(rows.x.end(), {x0, x1});
      rows.y.push_back(2 * x0 - x1 + 0.25);
      rows.mask.push_back(1);
    }
    step.shards.push_back({{std::move(rows)}});
  }
  problem.steps.push_back(std::move(step));
  return problem;
}

Case two_shards(double learning_rate) {
  Case problem;
  problem.model = {1, {{2, true}}, {0, 0, 0, 0}};
  problem.mesh = {{{"data", 2}}};
  problem.learning_rate = learning_rate;
  const MicroBatch first{{1, 3}, {-1, -5, -1, -1}, {1, 1}, {}};
  const MicroBatch second{{1, 3}, {-9, -13, -1, -1}, {1, 1}, {}};
  problem.steps = {Step{{Shard{{first}}, Shard{{second}}}}};
  return problem;
}

}  // namespace shardproof::cli
