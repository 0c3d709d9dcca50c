#include "shardproof/run/shrink.h"

#include <cstdint>
#include <memory>
#include <unordered_set>
#include <utility>

#include "case/case_hash.h"
#include "case/simpler_stages.h"
#include "run/repeats.h"
#include "shardproof/case/claim.h"

namespace shardproof {
namespace {

/// One greedy descent: the first simpler case that fails in the same way becomes the next. Kinds of
/// change are tried in their order, each until it changes nothing more; then all over again, until
/// none of them does.
class Descent {
 public:
  Descent(Subject& subject, const Property& property, const Sighting& start,
          const ShrinkOptions& options)
      : subject_(subject), property_(property), options_(options) {
    shrunk_.minimal = start;
  }

  Shrunk run() {
    bool moved = true;
    while (moved && !ended_) {
      moved = false;
      for (int stage = 0; stage < kSimplerStages && !ended_; ++stage) {
        while (step(stage)) moved = true;
      }
    }
    shrunk_.complete = !ended_;
    return shrunk_;
  }

 private:
  /// \return whether a change of this kind led to a simpler case
  bool step(int stage) {
    moved_ = false;
    const SharedCase current = shrunk_.minimal.problem;
    for_each_simpler_of_stage(*current, stage,
                              [this](Case candidate) { return visit(std::move(candidate)); });
    return moved_;
  }

  /// \return whether to look at further candidates of the same case
  bool visit(Case candidate) {
    if (!tried_.insert(case_hash(candidate)).second) return true;
    validate(candidate);
    if (excluded_by(subject_.claim(), candidate)) return true;
    if (options_.admits && !options_.admits(candidate)) return true;
    if (shrunk_.executions >= options_.budget || !subject_.usable() ||
        (options_.stop && options_.stop())) {
      ended_ = true;
      return false;
    }
    const auto problem = std::make_shared<const Case>(std::move(candidate));
    std::optional<Failure> failure = failure_on(problem);
    if (!failure) return true;
    shrunk_.minimal = {.problem = problem, .failure = *std::move(failure)};
    moved_ = true;
    return false;
  }

  std::optional<Failure> failure_on(const SharedCase& problem) {
    const FailureKind kind = shrunk_.minimal.failure.kind;
    if (options_.by_majority) {
      Executor executor(subject_, options_.limits, shrunk_.executions);
      if (exclusion(property_, executor.premise(*problem))) return std::nullopt;
      return failure_of_most({subject_, executor, property_, options_.stop}, problem, kind);
    }
    Verdict verdict = check_case(subject_, property_, problem, options_.limits, shrunk_.executions);
    auto* failure = std::get_if<Failure>(&verdict);
    if (failure == nullptr || failure->kind != kind) return std::nullopt;
    return std::move(*failure);
  }

  Subject& subject_;
  const Property& property_;
  const ShrinkOptions& options_;
  std::unordered_set<std::uint64_t> tried_;
  Shrunk shrunk_;
  bool moved_ = false;
  bool ended_ = false;
};

}  // namespace

Shrunk shrink(Subject& subject, const Property& property, const Sighting& start,
              const ShrinkOptions& options) {
  return Descent(subject, property, start, options).run();
}

}  // namespace shardproof
