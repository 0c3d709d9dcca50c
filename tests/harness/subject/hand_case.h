#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "shardproof/case/case.h"
#include "shardproof/subject/builtin.h"

namespace shardproof {

/// One micro-batch by hand: what the rank hands in, instead of what its rows would give.
struct HandedIn {
  int valid = 1;
  std::vector<double> gradient;  ///< flat tree
  double loss = 0;
  int padded = 0;
};
using HandedInStep = std::vector<std::vector<HandedIn>>;  ///< [rank][micro-batch]

inline MicroBatch rows_of(const HandedIn& hand, const Model& model) {
  const auto rows = static_cast<std::size_t>(hand.valid + hand.padded);
  MicroBatch micro_batch;
  micro_batch.x.resize(rows * static_cast<std::size_t>(model.features));
  micro_batch.y.resize(rows * static_cast<std::size_t>(model.outputs()));
  micro_batch.mask.resize(rows);
  for (int i = 0; i < hand.valid; ++i) micro_batch.mask[static_cast<std::size_t>(i)] = 1;
  return micro_batch;
}

/// A case in which every contribution is given by hand. \pre `layers` fit the gradients
inline SharedCase hand_case(int features, std::vector<Layer> layers,
                            const std::vector<HandedInStep>& steps, Dtype dtype = Dtype::f32) {
  Case problem;
  problem.model = {.features = features, .layers = std::move(layers), .parameters = {}};
  problem.model.parameters.resize(tree_shape(problem.model)->size);
  problem.mesh.axes[0].size = static_cast<int>(steps[0].size());
  problem.dtype = dtype;
  auto given = std::make_shared<GivenContributions>();
  for (const HandedInStep& hand_step : steps) {
    Step& step = problem.steps.emplace_back();
    auto& items = given->items.emplace_back();
    for (const std::vector<HandedIn>& rank : hand_step) {
      Shard& shard = step.shards.emplace_back();
      auto& rank_items = items.emplace_back();
      for (const HandedIn& hand : rank) {
        shard.micro_batches.push_back(rows_of(hand, problem.model));
        rank_items.push_back({hand.gradient, hand.loss});
      }
    }
  }
  problem.given = given;
  validate(problem);
  return std::make_shared<const Case>(std::move(problem));
}

/// A kernel of as many elements as the gradients have, one output, no bias.
inline SharedCase one_leaf(const std::vector<HandedInStep>& steps, Dtype dtype = Dtype::f32) {
  const auto size = static_cast<int>(steps[0][0][0].gradient.size());
  return hand_case(size, {{.outputs = 1, .bias = false}}, steps, dtype);
}

/// What every rank returned: [step][rank]. \throws std::bad_variant_access where it is no result
inline std::vector<std::vector<RankResult>> results_of(Subject& subject,
                                                       const SharedCase& problem) {
  return std::get<Returned>(subject.run(problem, Limits{})).results;
}
inline std::vector<std::vector<RankResult>> results_of(std::string_view builtin,
                                                       const SharedCase& problem) {
  return results_of(*make_builtin(builtin), problem);
}

/// The ranks' results of the first step.
template <class SubjectOrName>
std::vector<RankResult> ranks_of(SubjectOrName&& subject, const SharedCase& problem) {
  return results_of(subject, problem)[0];
}

/// The flat gradient that a rank returned.
inline std::vector<double> gradient_of(const RankResult& result) {
  const std::span<const double> values = result.gradient.values();
  return {values.begin(), values.end()};
}

}  // namespace shardproof
