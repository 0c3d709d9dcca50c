#include "shardproof/run/minimality.h"

#include <memory>

#include "shardproof/case/claim.h"

namespace shardproof {

Minimality prove_minimal(Subject& subject, const Property& property, const Sighting& minimal,
                         const MinimalityOptions& options) {
  Minimality proof;
  proof.complete = true;
  for_each_small_case(options.domain, *minimal.problem, [&](const Case& candidate) {
    if (excluded_by(subject.claim(), candidate)) return true;
    if (!subject.usable() || (options.stop && options.stop())) return proof.complete = false;
    const auto problem = std::make_shared<const Case>(candidate);
    int executions = 0;
    Verdict verdict = check_case(subject, property, problem, options.limits, executions);
    ++proof.cases;
    proof.executions += executions;
    auto* failure = std::get_if<Failure>(&verdict);
    if (failure == nullptr || failure->kind != minimal.failure.kind) return true;
    proof.simpler = Sighting{problem, std::move(*failure)};
    return proof.complete = false;
  });
  return proof;
}

}  // namespace shardproof
