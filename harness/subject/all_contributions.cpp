#include "subject/all_contributions.h"

#include "shardproof/subject/local_gradient.h"

namespace shardproof {

AllContributions all_contributions(const Case& problem, InputForm form,
                                   std::optional<Dtype> gradient) {
  const SharedShape shape = tree_shape(problem.model);
  AllContributions all(problem.steps.size());
  for (std::size_t s = 0; s < all.size(); ++s) {
    for (int shard = 0; shard < problem.world_size().value; ++shard) {
      std::vector<Contribution>& mine = all[s].emplace_back();
      for (int b = 0; b < problem.steps[s].micro_batches(); ++b) {
        mine.push_back(
            local_contribution(problem, shape, static_cast<int>(s), shard, b, form, gradient));
      }
    }
  }
  return all;
}

std::shared_ptr<const GivenContributions> given(const AllContributions& contributions) {
  auto found = std::make_shared<GivenContributions>();
  for (const auto& step : contributions) {
    auto& of_step = found->items.emplace_back();
    for (const auto& shard : step) {
      auto& of_shard = of_step.emplace_back();
      for (const Contribution& each : shard) {
        const auto values = each.gradient.values();
        of_shard.push_back({{values.begin(), values.end()}, each.loss});
      }
    }
  }
  return found;
}

}  // namespace shardproof
