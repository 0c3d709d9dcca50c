#include <fmt/format.h>

#include "case/one_line.h"
#include "shardproof/judge/judge.h"

namespace shardproof {
namespace {

Failure failure(FailureKind kind, int step, std::optional<Rank> rank, std::string sentence) {
  Failure result;
  result.kind = kind;
  result.step = step;
  result.rank = rank;
  result.sentence = std::move(sentence);
  return result;
}

std::string describe(const Wait& wait) {
  switch (wait.what) {
    case Wait::For::barrier:
      return fmt::format("rank {} waits at a barrier", wait.rank.index);
    case Wait::For::message:
      return fmt::format("rank {} waits for a message from rank {}", wait.rank.index,
                         wait.peer.index);
    case Wait::For::turn:
      return fmt::format("rank {} waits for rank {} to begin", wait.rank.index, wait.peer.index);
  }
  return {};
}

std::string describe(const Deadlocked& deadlock) {
  std::string text = "no rank can go on:";
  for (const Wait& wait : deadlock.waits) {
    text += (&wait == &deadlock.waits.front() ? " " : ", ") + describe(wait);
  }
  return text + "; all others have ended";
}

std::string describe(const TimedOut& timeout) {
  if (timeout.killed && timeout.stuck.empty()) {
    return "the subject had not answered when time ran out (this is no proof); it was killed";
  }
  std::string text = "not back when time ran out (this is no proof):";
  const char* separator = " ";
  for (Rank rank : timeout.stuck) {
    text += fmt::format("{}rank {}", separator, rank.index);
    separator = ", ";
  }
  if (timeout.stuck.empty()) text += " any rank; they went on answering each other";
  if (timeout.killed) return text + "; its process was killed";
  return text + "; nothing more is tried with this subject in this process";
}

/// An error where a step has no valid row is what the claim asks for.
bool step_is_empty(const Trial& trial, int step) {
  const std::vector<Step>& steps = trial.problem->steps;
  return static_cast<std::size_t>(step) < steps.size() &&
         steps[static_cast<std::size_t>(step)].valid().value == 0;
}

Failure with_log(Failure failure, const std::string& log) {
  failure.log = log;
  return failure;
}

struct OutcomeFailure {
  const Trial& trial;

  std::optional<Failure> operator()(const Returned&) const { return std::nullopt; }
  std::optional<Failure> operator()(const Declined& o) const {
    if (step_is_empty(trial, o.step)) return std::nullopt;
    return failure(FailureKind::declined, o.step, o.rank,
                   fmt::format("step {}: rank {} declined a case that the claim admits: {}", o.step,
                               o.rank.index, one_line(o.message)));
  }
  std::optional<Failure> operator()(const Threw& o) const {
    if (step_is_empty(trial, o.step)) return std::nullopt;
    return failure(
        FailureKind::threw, o.step, o.rank,
        fmt::format("step {}: rank {} threw: {}", o.step, o.rank.index, one_line(o.message)));
  }
  std::optional<Failure> operator()(const Deadlocked& o) const {
    return failure(FailureKind::deadlocked, 0, std::nullopt, describe(o));
  }
  std::optional<Failure> operator()(const TimedOut& o) const {
    return with_log(failure(FailureKind::hung, 0, std::nullopt, describe(o)), o.log);
  }
  std::optional<Failure> operator()(const Died& o) const {
    return with_log(
        failure(FailureKind::crashed, 0, std::nullopt, "the subject " + one_line(o.what)), o.log);
  }
  std::optional<Failure> operator()(const Misbehaved& o) const {
    return with_log(failure(FailureKind::misbehaved, o.step, o.rank,
                            fmt::format("step {}: rank {}: {}", o.step, o.rank.index, o.what)),
                    o.log);
  }
};

}  // namespace

std::optional<Failure> failure_without_result(const Trial& trial) {
  return std::visit(OutcomeFailure{trial}, trial.outcome);
}

}  // namespace shardproof
