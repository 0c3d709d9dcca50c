#include "run/repeats.h"

#include <fmt/format.h>

#include <utility>

#include "shardproof/judge/judge.h"

namespace shardproof {
namespace {

constexpr int kFurtherRuns = 5;
constexpr int kVotes = 5;

std::optional<Failure> failure_of_kind(Verdict verdict, FailureKind kind) {
  auto* failure = std::get_if<Failure>(&verdict);
  if (failure == nullptr || failure->kind != kind) return std::nullopt;
  return std::move(*failure);
}

/// The same contributions: nothing but the order of arrival may differ.
bool same_inputs(const Case& a, Case b) {
  b.arrival = a.arrival;
  return a == b;
}

/// The first related trial that answers the base's own question in another way.
const Trial* first_that_differs(const Trial& base, const std::vector<Trial>& related) {
  for (const Trial& trial : related) {
    if (same_inputs(*base.problem, *trial.problem) &&
        std::holds_alternative<Failure>(judge_repeated(base, trial))) {
      return &trial;
    }
  }
  return nullptr;
}

std::string such_runs(const Trial& base, const Trial& differing) {
  std::string runs = "runs";
  if (differing.problem->arrival != base.problem->arrival) {
    runs += " with the ranks arriving in the order";
    for (int rank : differing.problem->arrival) runs += ' ' + std::to_string(rank);
  }
  return runs;
}

}  // namespace

Repeats check_again(const Repetition& again, const Sighting& seen) {
  Repeats repeats;
  for (int i = 0; i < kFurtherRuns && again.goes_on(); ++i) {
    const Trial base = again.executor.base_of(again.property, seen.problem);
    ++repeats.runs;
    if (failure_of_kind(again.executor.check(again.property, base).verdict, seen.failure.kind)) {
      ++repeats.shown;
    }
  }
  return repeats;
}

void count_differing_runs(const Repetition& again, Sighting& seen) {
  if (seen.failure.kind != FailureKind::unsteady) return;
  for (int attempt = 0; attempt < kVotes && again.goes_on(); ++attempt) {
    const Trial base = again.executor.execute(seen.problem);
    const Executor::Checked checked = again.executor.check(again.property, base);
    auto failure = failure_of_kind(checked.verdict, FailureKind::unsteady);
    const Trial* differing = first_that_differs(base, checked.related);
    if (!failure || differing == nullptr) continue;
    int runs = 1;
    int differed = 1;
    for (int i = 0; i < kFurtherRuns && again.goes_on(); ++i) {
      const Trial repeated = again.executor.execute(differing->problem);
      ++runs;
      if (std::holds_alternative<Failure>(judge_repeated(base, repeated))) ++differed;
    }
    seen.failure = *std::move(failure);
    seen.failure.sentence += fmt::format("; {} of {} {} differed from the first", differed, runs,
                                         such_runs(base, *differing));
    return;
  }
}

std::optional<Failure> failure_of_most(const Repetition& again, const SharedCase& problem,
                                       FailureKind like) {
  std::optional<Failure> seen;
  int failed = 0;
  for (int run = 0; run < kVotes && again.goes_on(); ++run) {
    // Decided: the rest cannot change it.
    if (2 * failed > kVotes || 2 * (failed + kVotes - run) <= kVotes) break;
    const Trial base = again.executor.base_of(again.property, problem);
    auto failure = failure_of_kind(again.executor.check(again.property, base).verdict, like);
    if (!failure) continue;
    ++failed;
    seen = std::move(failure);
  }
  return 2 * failed > kVotes ? seen : std::nullopt;
}

}  // namespace shardproof
