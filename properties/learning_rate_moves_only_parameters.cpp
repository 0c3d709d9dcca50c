#include "catalogue.h"
#include "shardproof/judge/judge.h"
#include "view.h"

namespace shardproof {
namespace {

/// The first step alone, with another learning rate.
std::vector<Case> with_other_rate(const Premise& p) {
  Case problem = p.problem;
  problem.given.reset();
  problem.steps.resize(1);
  problem.learning_rate =
      problem.learning_rate < 1 ? problem.learning_rate * 4 : problem.learning_rate / 4;
  if (!representable(problem.dtype, problem.learning_rate)) return {};
  return {std::move(problem)};
}

/// Loss and gradient are those of the same parameters, and the parameters move by the new rate.
Verdict only_parameters_moved(const Trial&, std::span<const Trial> related) {
  if (related.empty()) return NotApplicable{"no other learning rate is a value of the dtype"};
  const Trial& trial = related.front();
  Verdict verdict = trial.gradient_verdict();
  for (auto judge : {&judge_loss, &judge_update}) {
    if (std::holds_alternative<Failure>(verdict)) break;
    verdict = judge(trial);
  }
  if (auto* failure = std::get_if<Failure>(&verdict)) {
    failure->sentence = "with another learning rate, " + failure->sentence;
  }
  return verdict;
}

}  // namespace

Property learning_rate_moves_only_parameters() {
  return {.name = "learning_rate_moves_only_parameters",
          .statement =
              "Changing the learning rate changes the updated parameters, and neither the "
              "loss nor the gradient.",
          .kind = PropertyKind::view,
          .excluded =
              [](const Premise& p) {
                return unless(p.kind == SubjectKind::train_step, "a reducer has no learning rate");
              },
          .related = with_other_rate,
          .check = only_parameters_moved};
}

}  // namespace shardproof
