#include "catalogue.h"
#include "shardproof/judge/judge.h"
#include "view.h"

namespace shardproof {
namespace {

/// The first step alone, or as few as are claimed, with another learning rate.
std::vector<Case> with_other_rate(const Premise& p) {
  Case problem = p.problem;
  problem.given.reset();
  problem.steps.resize(static_cast<std::size_t>(p.claim.shapes.steps.low));
  problem.learning_rate =
      problem.learning_rate < 1 ? problem.learning_rate * 4 : problem.learning_rate / 4;
  if (!representable(problem.dtype, problem.learning_rate)) return {};
  return {std::move(problem)};
}

/// The results of a step without its updated parameters.
Trial without_parameters(const Trial& trial, const Returned& returned) {
  Returned kept;
  kept.results.push_back(returned.results.front());
  for (RankResult& result : kept.results.front()) result.parameters.reset();
  return {trial.problem, trial.claim, trial.kind, std::move(kept)};
}

/// In bits where a fixed order is claimed, else both against their own exact values.
Verdict only_parameters_moved(const Trial& base, std::span<const Trial> related) {
  if (related.empty()) return NotApplicable{"no other learning rate is a value of the dtype"};
  const Trial& other = related.front();
  const Returned* before = std::get_if<Returned>(&base.outcome);
  const Returned* after = std::get_if<Returned>(&other.outcome);
  if (before == nullptr || after == nullptr) return NotApplicable{"a trial returned no result"};
  Verdict verdict = base.claim->order_fixed ? judge_repeated(without_parameters(base, *before),
                                                             without_parameters(other, *after))
                                            : other.gradient_verdict();
  if (!base.claim->order_fixed && !std::holds_alternative<Failure>(verdict)) {
    verdict = judge_loss(other);
  }
  if (auto* failure = std::get_if<Failure>(&verdict)) {
    failure->sentence = "with another learning rate: " + failure->sentence;
  }
  return verdict;
}

}  // namespace

Property learning_rate_moves_only_parameters() {
  return {.name = "learning_rate_moves_only_parameters",
          .statement =
              "Changing the learning rate changes neither the loss nor the gradient of the step.",
          .kind = PropertyKind::view,
          .excluded =
              [](const Premise& p) {
                return unless(p.kind == SubjectKind::train_step, "a reducer has no learning rate");
              },
          .related = with_other_rate,
          .check = only_parameters_moved};
}

}  // namespace shardproof
