#include <memory>
#include <utility>

#include "shardproof/run/counterexample.h"
#include "shardproof/subject/local_gradient.h"

namespace shardproof {

Case with_contributions(Case problem, InputForm form, std::optional<Dtype> gradient) {
  const SharedShape shape = tree_shape(problem.model);
  auto given = std::make_shared<GivenContributions>();
  for (std::size_t s = 0; s < problem.steps.size(); ++s) {
    auto& step = given->items.emplace_back();
    for (std::size_t r = 0; r < problem.steps[s].shards.size(); ++r) {
      auto& shard = step.emplace_back();
      for (int m = 0; m < problem.steps[s].micro_batches(); ++m) {
        const Contribution item = local_contribution(problem, shape, static_cast<int>(s),
                                                     static_cast<int>(r), m, form, gradient);
        const auto values = item.gradient.values();
        shard.push_back({{values.begin(), values.end()}, item.loss});
      }
    }
  }
  problem.given = std::move(given);
  return problem;
}

}  // namespace shardproof
