#include "case/case_values.h"

namespace shardproof {

std::vector<double*> values_of(Case& problem) {
  std::vector<double*> values;
  const auto add = [&](std::vector<double>& array) {
    for (double& value : array) values.push_back(&value);
  };
  add(problem.model.parameters);
  for (Step& step : problem.steps) {
    for (Shard& shard : step.shards) {
      for (MicroBatch& batch : shard.micro_batches) {
        add(batch.x);
        add(batch.y);
      }
    }
  }
  return values;
}

}  // namespace shardproof
