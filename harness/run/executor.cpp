#include "run/executor.h"

#include <utility>

namespace shardproof {
namespace {

/// A hang is one only after a second execution with so many times the limit.
constexpr int kPatience = 4;

}  // namespace

Trial Executor::execute(SharedCase problem) {
  ++executions_;
  Outcome outcome = subject_.run(problem, limits_);
  if (std::holds_alternative<TimedOut>(outcome) && subject_.usable()) {
    // The machine may have been busy or suspended.
    Limits patient = limits_;
    patient.timeout *= kPatience;
    outcome = subject_.run(problem, patient);
  }
  return {std::move(problem), claim_, subject_.kind(), std::move(outcome)};
}

Trial Executor::base_of(const Property& property, SharedCase problem) {
  if (!property.of_related_alone) return execute(std::move(problem));
  return {std::move(problem), claim_, subject_.kind(), Returned{}};
}

Executor::Checked Executor::check(const Property& property, const Trial& base) {
  std::vector<Trial> related;
  if (property.related) {
    // Each further execution would last as long.
    if (std::holds_alternative<TimedOut>(base.outcome)) {
      return {NotApplicable{"time ran out"}, {}};
    }
    for (Case& problem : property.related(premise(*base.problem))) {
      if (!subject_.usable()) return {NotApplicable{"the subject can no longer be run"}, {}};
      validate(problem);
      related.push_back(execute(std::make_shared<const Case>(std::move(problem))));
    }
  }
  Verdict verdict = property.check(base, related);
  return {std::move(verdict), std::move(related)};
}

std::optional<std::string> exclusion(const Property& property, const Premise& premise) {
  return property.excluded ? property.excluded(premise) : std::nullopt;
}

}  // namespace shardproof
