#include <vector>

#include "judge/hypotheses.h"

namespace shardproof {

Prediction multiple_of_gradient(std::uint64_t times, const ResultSite& site) {
  const Step& step = site.problem.steps[static_cast<std::size_t>(site.step)];
  const auto all = static_cast<std::uint64_t>(step.valid().value);
  Prediction prediction;
  if (times == 0) return prediction;
  for (std::size_t r = 0; r < step.shards.size(); ++r) {
    for (std::size_t m = 0; m < step.shards[r].micro_batches.size(); ++m) {
      const auto valid = static_cast<std::uint64_t>(step.shards[r].micro_batches[m].valid().value);
      if (valid == 0) continue;
      prediction.terms.push_back({site.step, r, m, site.element, {times * valid, all}});
    }
  }
  return prediction;
}

namespace {

Hypothesis by_multiple(std::string name, std::string formula, std::string meaning, std::string fix,
                       std::uint64_t times) {
  return {.name = std::move(name),
          .formula = std::move(formula),
          .meaning = std::move(meaning),
          .fix = std::move(fix),
          .predict = [times](const ResultSite& site) { return multiple_of_gradient(times, site); }};
}

}  // namespace

std::span<const Hypothesis> update_hypotheses() {
  static const std::vector<Hypothesis> all = [] {
    std::vector<Hypothesis> made{
        by_multiple("update-twice", "2 G", "the update is applied twice", "update once", 2),
        by_multiple("not-updated", "0", "these parameters are not updated", "update every leaf", 0),
        by_multiple("gradient-ascent", "-G", "the update has the wrong sign",
                    "subtract the gradient", 1)};
    made.back().negated = true;
    return made;
  }();
  return all;
}

}  // namespace shardproof
