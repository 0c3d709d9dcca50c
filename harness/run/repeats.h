#pragma once

#include <functional>

#include "run/executor.h"
#include "shardproof/run/run.h"

namespace shardproof {

/// What a subject under test is asked again, and when to stop asking.
struct Repetition {
  Subject& subject;
  Executor& executor;
  const Property& property;
  const std::function<bool()>& stop;  ///< may be empty

  [[nodiscard]] bool goes_on() const { return subject.usable() && !(stop && stop()); }
};

/// Checks the case of `seen` five times more and counts in how many the same kind of failure shows.
Repeats check_again(const Repetition& again, const Sighting& seen);

/// Says in the failure's sentence how many of six runs differed from the first, where the subject
/// changed its answer on the same contributions; leaves other failures alone.
void count_differing_runs(const Repetition& again, Sighting& seen);

/// A check of which most of five executions decide.
/// \return the failure of the kind of `like` that most of them showed, if so
std::optional<Failure> failure_of_most(const Repetition& again, const SharedCase& problem,
                                       FailureKind like);

}  // namespace shardproof
