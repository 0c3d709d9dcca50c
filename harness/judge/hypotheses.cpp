#include "judge/hypotheses.h"

#include <limits>
#include <vector>

#include "shardproof/subject/fault_catalogue.h"

namespace shardproof {
namespace {

Hypothesis of(const KnownFault& known) {
  const bool of_leaves =
      known.family == FaultFamily::leaf_scale || known.family == FaultFamily::mix_leaves;
  return {.name = known.name,
          .formula = known.formula,
          .meaning = known.meaning,
          .fix = known.fix,
          .predict = [&known](const ResultSite& site) { return predict(known.fault, site); },
          .of_leaves = of_leaves};
}

/// What the catalogue leaves open: a step without any valid row.
Hypothesis nan_from_nothing() {
  return {.name = "nan-from-nothing",
          .formula = "0 / 0",
          .meaning = "NaN where no row of the step is valid",
          .fix = "divide by max(count, 1), or refuse the step",
          .predict = [](const ResultSite& site) -> std::optional<Prediction> {
            const Step& step = site.problem.steps[static_cast<std::size_t>(site.step)];
            if (step.valid().value > 0) return std::nullopt;
            return Prediction{.terms = {}, .exactly = std::numeric_limits<double>::quiet_NaN()};
          }};
}

}  // namespace

std::span<const Hypothesis> known_hypotheses() {
  static const std::vector<Hypothesis> all = [] {
    std::vector<Hypothesis> made;
    for (const KnownFault& known : known_faults()) made.push_back(of(known));
    made.push_back(nan_from_nothing());
    return made;
  }();
  return all;
}

}  // namespace shardproof
