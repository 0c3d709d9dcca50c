#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "shardproof/judge/diagnose.h"
#include "shardproof/judge/property.h"
#include "shardproof/subject/subject.h"

namespace shardproof {

/// A failure on one case.
struct Sighting {
  SharedCase problem;
  Failure failure;
};

/// The first case on which a property failed, and the smallest one found from it.
struct Finding {
  std::string property;
  std::vector<std::string> also;  ///< further properties that fail on the same case
  int case_index = 0;
  int executions_to_find = 0;
  Sighting found;
  Sighting minimal;
  int executions_to_shrink = 0;
  bool fully_shrunk = false;    ///< no simpler case that shrinking tries fails as well
  std::vector<Cause> causes{};  ///< every known mistake that predicts all wrong values
};

struct Tally {
  std::string property;
  int passed = 0;
  int failed = 0;
  int skipped = 0;  ///< not applicable
  std::string first_skip_reason;
};

struct RunResult {
  std::vector<Tally> tallies;      ///< one a property, in the order given
  std::optional<Finding> finding;  ///< of the lowest case index, then of the first property
  int cases = 0;                   ///< drawn and executed
  int executions = 0;              ///< of the subject, shrinking left out
  bool stopped = false;            ///< `stop` ended the run early
};

struct RunOptions {
  int cases = 1000;
  int shrink_budget = 2000;  ///< executions
  Limits limits{};
  /// Case i, a pure function of i. Valid and inside the claim.
  std::function<Case(int index)> draw{};
  /// Further cases on which to tell causes apart; valid and inside the claim. May be empty.
  std::function<std::vector<Case>(const Case& minimal)> draw_for_diagnosis{};
  std::function<void(int cases_done, int executions)> on_progress{};  ///< may be empty
  std::function<void(const Finding&)> on_found{};  ///< before shrinking; may be empty
  /// What shrinking may go to, beside the claim; may be empty: every case.
  std::function<bool(const Case&)> admits{};
  std::function<bool()> stop{};  ///< asked between executions; may be empty
};

/// Draws, executes, judges; stops at the first case on which a property fails, and shrinks it.
/// \throws InputError  when a drawn or shrunk case is not valid, naming the case
RunResult run(Subject& subject, std::span<const Property> properties, const RunOptions& options);

/// Executes `problems`, of which the first shows a wrong gradient, and asks which known mistakes
/// predict every wrong value on all of them.
std::vector<Cause> find_causes(Subject& subject, std::span<const SharedCase> problems,
                               const Limits& limits);

/// One property on one case, with its related cases. Counts executions into `executions`.
Verdict check_case(Subject& subject, const Property& property, const SharedCase& problem,
                   const Limits& limits, int& executions);

}  // namespace shardproof
