#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "shardproof/judge/diagnose.h"
#include "shardproof/judge/property.h"
#include "shardproof/run/coverage.h"
#include "shardproof/subject/subject.h"

namespace shardproof {

/// A failure on one case.
struct Sighting {
  SharedCase problem;
  Failure failure;
};

/// How often the same case was checked, and how often the same kind of failure showed.
struct Repeats {
  int runs = 1;
  int shown = 1;
  [[nodiscard]] bool steady() const { return shown == runs; }
};

/// The first case on which a property failed, and the smallest one found from it.
struct Finding {
  std::string property;
  std::vector<std::string> also;  ///< further properties that fail on the same case
  int case_index = 0;
  int executions_to_find = 0;
  Sighting found;
  Repeats repeats{};  ///< of the case found; where it is not steady, shrinking went by majority
  /// It did not show in a subject that had begun anew: what fails rests on cases before.
  bool depends_on_earlier = false;
  Sighting minimal;
  int executions_to_shrink = 0;
  bool fully_shrunk = false;  ///< no simpler case that shrinking tries fails as well
  Diagnosis diagnosis{};
};

struct Tally {
  std::string property;
  int passed = 0;
  int failed = 0;
  int skipped = 0;  ///< not applicable
  std::string first_skip_reason;
};

struct RunResult {
  std::vector<Tally> tallies;          ///< one a property, in the order given
  std::optional<Finding> finding;      ///< of the lowest case index, then of the first property
  int cases = 0;                       ///< drawn and executed
  int executions = 0;                  ///< of the subject, shrinking left out
  bool stopped = false;                ///< `stop` ended the run early
  std::vector<ClassCount> coverage{};  ///< one a class, in the order given
  std::vector<ClassPower> power{};     ///< by dtype, then by world size; where any case was judged
};

struct RunOptions {
  int cases = 1000;
  int shrink_budget = 2000;  ///< executions
  Limits limits{};
  std::vector<CaseClass> classes{};  ///< to be covered
  /// Case i, a pure function of i. Valid and inside the claim.
  std::function<Case(int index)> draw{};
  /// Further cases on which to tell causes apart; valid and inside the claim. May be empty.
  std::function<std::vector<Case>(const Finding&)> draw_for_diagnosis{};
  std::function<void(int cases_done, int executions)> on_progress{};  ///< may be empty
  std::function<void(const Finding&)> on_found{};  ///< before shrinking; may be empty
  /// What shrinking may go to, beside the claim; may be empty: every case.
  std::function<bool(const Case&)> admits{};
  std::function<bool()> stop{};  ///< asked between executions; may be empty
};

/// The classes that should have been covered and were not; none where the run ended before it was
/// through with its cases.
std::vector<ClassCount> not_covered(const RunResult& result);

/// Draws, executes, judges; stops at the first case on which a property fails, and shrinks it.
/// \throws InputError  when a drawn or shrunk case is not valid, naming the case
RunResult run(Subject& subject, std::span<const Property> properties, const RunOptions& options);

/// What causes are asked about.
struct CauseQuestion {
  FailureKind kind = FailureKind::wrong_gradient;
  const Property* property = nullptr;  ///< that failed: its related cases belong to the finding
  std::vector<SharedCase> of_finding;  ///< the first of them is described
  std::vector<SharedCase> more{};      ///< to tell causes apart
};

/// Executes the cases and asks which known faults predict every wrong value on all of them.
Diagnosis find_causes(Subject& subject, const CauseQuestion& question, const Limits& limits);

/// One property on one case, with its related cases. Counts executions into `executions`.
Verdict check_case(Subject& subject, const Property& property, const SharedCase& problem,
                   const Limits& limits, int& executions);

}  // namespace shardproof
