#include "shardproof/run/run.h"

#include <algorithm>

#include "run/executor.h"
#include "run/repeats.h"
#include "run/tallies.h"
#include "shardproof/case/error.h"
#include "shardproof/run/shrink.h"

namespace shardproof {
namespace {

void skip(Tally& tally, std::string reason) {
  if (tally.skipped++ == 0) tally.first_skip_reason = std::move(reason);
}

/// One run, case by case.
class Run {
 public:
  Run(Subject& subject, std::span<const Property> properties, const RunOptions& options)
      : subject_(subject),
        properties_(properties),
        options_(options),
        executor_(subject, options.limits, result_.executions) {
    for (const Property& property : properties)
      result_.tallies.emplace_back().property = property.name;
    for (const CaseClass& of : options.classes) {
      result_.coverage.push_back({.name = of.name, .only_related = of.only_related});
    }
  }

  RunResult result() {
    for (int i = 0; i < options_.cases && !result_.finding && subject_.usable(); ++i) {
      if (options_.stop && options_.stop()) {
        result_.stopped = true;
        break;
      }
      try_case(i);
      if (options_.on_progress) options_.on_progress(result_.cases, result_.executions);
    }
    if (result_.finding) shrink_finding();
    return std::move(result_);
  }

 private:
  void try_case(int index) {
    auto problem = std::make_shared<const Case>(options_.draw(index));
    validate(*problem);
    const Premise premise = executor_.premise(*problem);
    if (const auto reason = excluded_by(premise.claim, *problem)) {
      throw InputError("case " + std::to_string(index), "drawn outside the claim: " + *reason);
    }
    ++result_.cases;
    const Trial base = executor_.execute(problem);
    CoverageOfCase met;
    for (std::size_t p = 0; p < properties_.size(); ++p) judge(p, base, index, met);
    count_case(options_.classes, base, met, result_.coverage);
    count_power(base, result_.power);
  }

  void judge(std::size_t p, const Trial& base, int index, CoverageOfCase& met) {
    Tally& tally = result_.tallies[p];
    if (auto reason = exclusion(properties_[p], executor_.premise(*base.problem))) {
      skip(tally, std::move(*reason));
      return;
    }
    met.applicable = true;
    auto [verdict, related] = executor_.check(properties_[p], base);
    const bool judged = !std::holds_alternative<NotApplicable>(verdict);
    met.judged = met.judged || judged;
    count_related(options_.classes, related, judged, result_.coverage);
    if (auto* failure = std::get_if<Failure>(&verdict)) {
      ++tally.failed;
      record(p, base, index, std::move(*failure));
    } else if (auto* not_applicable = std::get_if<NotApplicable>(&verdict)) {
      skip(tally, std::move(not_applicable->reason));
    } else {
      ++tally.passed;
    }
  }

  void record(std::size_t p, const Trial& base, int index, Failure failure) {
    if (result_.finding) {
      result_.finding->also.push_back(properties_[p].name);
      return;
    }
    Finding& finding = result_.finding.emplace();
    finding.property = properties_[p].name;
    finding.case_index = index;
    finding.executions_to_find = result_.executions;
    finding.found = {base.problem, std::move(failure)};
    finding.minimal = finding.found;
    found_by_ = p;
  }

  void shrink_finding() {
    Finding& finding = *result_.finding;
    if (options_.on_found) options_.on_found(finding);
    if (!subject_.usable()) return;
    const bool fresh = subject_.restart();
    if (finding.found.failure.kind == FailureKind::hung) {
      if (fresh) shrink_hang();
      return;
    }
    int further = 0;  // executions that only confirm
    Executor executor(subject_, options_.limits, further);
    const Repetition again{subject_, executor, properties_[found_by_], options_.stop};
    finding.repeats = check_again(again, finding.found);
    if (fresh && finding.repeats.shown == 1 && finding.repeats.runs > 1) {
      finding.depends_on_earlier = true;
      return;
    }
    const Shrunk shrunk = shrink(subject_, properties_[found_by_], finding.found,
                                 {.budget = options_.shrink_budget,
                                  .limits = options_.limits,
                                  .stop = options_.stop,
                                  .admits = options_.admits,
                                  .by_majority = !finding.repeats.steady()});
    finding.minimal = shrunk.minimal;
    finding.executions_to_shrink = shrunk.executions;
    finding.fully_shrunk = shrunk.complete;
    count_differing_runs(again, finding.minimal);
    if (subject_.usable()) diagnose_finding();
  }

  /// A hang that can be ended by killing it, within little patience and a small budget: what is so
  /// found hung has to do so once more under the limits of the run.
  void shrink_hang() {
    constexpr auto kHaste = std::chrono::milliseconds(100);
    constexpr int kBudget = 40;
    Finding& finding = *result_.finding;
    const Property& property = properties_[found_by_];
    const Limits hasty{.timeout =
                           std::min<std::chrono::nanoseconds>(options_.limits.timeout, kHaste)};
    const Shrunk shrunk = shrink(
        subject_, property, finding.found,
        {.budget = kBudget, .limits = hasty, .stop = options_.stop, .admits = options_.admits});
    finding.executions_to_shrink = shrunk.executions;
    int further = 0;
    const Verdict verdict =
        check_case(subject_, property, shrunk.minimal.problem, options_.limits, further);
    const auto* failure = std::get_if<Failure>(&verdict);
    if (failure == nullptr || failure->kind != FailureKind::hung) return;
    finding.minimal = {shrunk.minimal.problem, *failure};
    finding.fully_shrunk = shrunk.complete;
  }

  /// Runs the minimal case, the one found and some more, and asks which fault predicts them all.
  void diagnose_finding() {
    Finding& finding = *result_.finding;
    std::vector<SharedCase> more;
    if (options_.draw_for_diagnosis) {
      for (Case& problem : options_.draw_for_diagnosis(finding)) {
        validate(problem);
        more.push_back(std::make_shared<const Case>(std::move(problem)));
      }
    }
    finding.diagnosis = find_causes(subject_,
                                    {.kind = finding.minimal.failure.kind,
                                     .property = &properties_[found_by_],
                                     .of_finding = {finding.minimal.problem, finding.found.problem},
                                     .more = std::move(more)},
                                    options_.limits);
  }

  Subject& subject_;
  std::span<const Property> properties_;
  const RunOptions& options_;
  RunResult result_;
  Executor executor_;
  std::size_t found_by_ = 0;
};

}  // namespace

RunResult run(Subject& subject, std::span<const Property> properties, const RunOptions& options) {
  return Run(subject, properties, options).result();
}

Diagnosis find_causes(Subject& subject, const CauseQuestion& question, const Limits& limits) {
  int executions = 0;  // not of the search
  Executor executor(subject, limits, executions);
  std::vector<Trial> trials;
  const auto run_all = [&](const std::vector<SharedCase>& problems) {
    for (const SharedCase& problem : problems) {
      const bool known = std::ranges::find(trials, problem, &Trial::problem) != trials.end();
      if (!known && subject.usable()) trials.push_back(executor.execute(problem));
    }
  };
  run_all(question.of_finding);
  if (question.property != nullptr && question.property->related) {
    for (const SharedCase& problem : question.of_finding) {
      std::vector<SharedCase> related;
      for (Case& one : question.property->related(executor.premise(*problem))) {
        related.push_back(std::make_shared<const Case>(std::move(one)));
      }
      run_all(related);
    }
  }
  const std::size_t of_finding = trials.size();
  run_all(question.more);
  return diagnose({.trials = trials, .of_finding = of_finding, .kind = question.kind});
}

Verdict check_case(Subject& subject, const Property& property, const SharedCase& problem,
                   const Limits& limits, int& executions) {
  Executor executor(subject, limits, executions);
  if (auto reason = exclusion(property, executor.premise(*problem))) {
    return NotApplicable{std::move(*reason)};
  }
  const Trial base = executor.base_of(property, problem);
  return executor.check(property, base).verdict;
}

}  // namespace shardproof
