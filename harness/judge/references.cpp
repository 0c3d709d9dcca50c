#include "judge/references.h"

#include <algorithm>
#include <cmath>

#include "judge/alone.h"
#include "judge/arithmetic.h"
#include "judge/end_to_end.h"

namespace shardproof {
namespace {

bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

StepReferences step_references(const Trial& trial, const Returned& returned, int index) {
  const Case& problem = *trial.problem;
  const Step& step = problem.steps[static_cast<std::size_t>(index)];
  StepReferences references;
  if (step.valid().value == 0) {
    references.unjudged = "no row is valid";
    return references;
  }
  const int ranks = problem.world_size().value;
  for (int r = 0; r < ranks; ++r) {
    references.parameters.push_back(parameters_before(trial, returned, index, r));
    if (!all_finite(references.parameters.back())) {
      references.unjudged = "the step starts from parameters that are not finite";
      return references;
    }
  }
  references.arithmetic = arithmetic_of(*trial.claim, problem, step);
  const std::optional<Weights> rows = row_weights(*trial.claim, problem.model, step);
  const std::optional<Weights> handed_in = contribution_weights(*trial.claim, step);
  if (!rows || !handed_in) {
    references.unjudged = "counts are too unlike for exact weights in 53 bits";
    return references;
  }
  const StepOfTrial at{
      trial, index, *handed_in, *rows, references.arithmetic, references.parameters};
  if (trial.kind == SubjectKind::reducer) {
    references.alone =
        references_from_contributions(at, returned.contributions[static_cast<std::size_t>(index)]);
    references.end_to_end = references_of_reducer(at, references.alone);
  } else {
    references.end_to_end = references_of_train_step(at);
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
