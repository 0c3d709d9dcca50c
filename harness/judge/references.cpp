#include "judge/references.h"

#include <algorithm>
#include <cmath>

#include "judge/alone.h"
#include "judge/end_to_end.h"
#include "shardproof/judge/arithmetic.h"

namespace shardproof {
namespace {

/// Contributions and rows weighted in the same way.
struct StepWeights {
  Weights handed_in;
  Weights rows;
};

bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

/// The claimed target's weights, unless counts are too unlike for them.
std::optional<StepWeights> claimed_weights(const Trial& trial, const Step& step) {
  std::optional<Weights> handed_in = contribution_weights(*trial.claim, step);
  std::optional<Weights> rows = row_weights(*trial.claim, trial.problem->model, step);
  if (!handed_in || !rows) return std::nullopt;
  return StepWeights{*std::move(handed_in), *std::move(rows)};
}

void fill_in_elements(StepReferences& references, const Trial& trial, int step,
                      const StepWeights& weights) {
  const StepOfTrial at{
      trial, step, weights.handed_in, weights.rows, references.arithmetic, references.parameters};
  if (trial.kind == SubjectKind::reducer) {
    const Returned& returned = std::get<Returned>(trial.outcome);
    references.alone =
        references_from_contributions(at, returned.contributions[static_cast<std::size_t>(step)]);
    references.end_to_end = references_of_reducer(at, references.alone);
  } else {
    references.end_to_end = references_of_train_step(at);
  }
}

/// All of a step's references but the elements.
StepReferences step_without_elements(const Trial& trial, const Returned& returned, int index) {
  const Case& problem = *trial.problem;
  const Step& step = problem.steps[static_cast<std::size_t>(index)];
  StepReferences references;
  if (step.valid().value == 0) {
    references.unjudged = "no row is valid";
    return references;
  }
  for (int r = 0; r < problem.world_size().value; ++r) {
    references.parameters.push_back(parameters_before(trial, returned, index, r));
    if (!all_finite(references.parameters.back())) {
      references.unjudged = "the step starts from parameters that are not finite";
      return references;
    }
  }
  references.arithmetic = arithmetic_of(*trial.claim, problem, step);
  return references;
}

StepReferences step_references(const Trial& trial, const Returned& returned, int index) {
  StepReferences references = step_without_elements(trial, returned, index);
  if (!references.unjudged.empty()) return references;
  const Step& step = trial.problem->steps[static_cast<std::size_t>(index)];
  if (const auto weights = claimed_weights(trial, step)) {
    fill_in_elements(references, trial, index, *weights);
  } else {
    references.unjudged = "counts are too unlike for exact weights in 53 bits";
  }
  return references;
}

}  // namespace

std::span<const double> parameters_before(const Trial& trial, const Returned& returned, int step,
                                          int rank) {
  if (trial.kind == SubjectKind::reducer || step == 0) return trial.problem->model.parameters;
  const std::vector<RankResult>& before = returned.results[static_cast<std::size_t>(step - 1)];
  return before[static_cast<std::size_t>(rank)].parameters->values();
}

TrialReferences references_of(const Trial& trial) {
  const Returned& returned = std::get<Returned>(trial.outcome);
  TrialReferences references;
  for (std::size_t s = 0; s < trial.problem->steps.size(); ++s) {
    references.steps.push_back(step_references(trial, returned, static_cast<int>(s)));
  }
  return references;
}

}  // namespace shardproof
