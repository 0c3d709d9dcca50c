#include "subject/program/program_trial.h"

#include <algorithm>
#include <csignal>
#include <tuple>
#include <utility>

namespace shardproof {
namespace {

/// Ranks that wait for one that has failed are not waited for any longer than this.
constexpr auto kForTheOthers = std::chrono::seconds(1);
/// How long a program that has closed its side may take to end.
constexpr auto kToEnd = std::chrono::seconds(2);

/// The ranks below `world` that a party answers for.
std::vector<int> asked_ranks(const Hello& hello, int world) {
  std::vector<int> ranks;
  if (hello.ranks.empty()) {
    for (int rank = 0; rank < world; ++rank) ranks.push_back(rank);
  } else {
    std::ranges::copy_if(hello.ranks, std::back_inserter(ranks),
                         [&](int rank) { return rank < world; });
  }
  return ranks;
}

/// Which failure is the cause: the first that is least, of the lowest step and rank.
std::tuple<int, int, int> order_of(const Outcome& outcome) {
  if (const auto* misbehaved = std::get_if<Misbehaved>(&outcome)) {
    return {0, misbehaved->step, misbehaved->rank.index};
  }
  if (const auto* threw = std::get_if<Threw>(&outcome)) return {0, threw->step, threw->rank.index};
  if (std::holds_alternative<Died>(outcome)) return {1, 0, 0};
  const auto& declined = std::get<Declined>(outcome);
  return {2, declined.step, declined.rank.index};
}

std::string whose(const Hello& hello) {
  if (hello.ranks.empty()) return "";
  std::string text = hello.ranks.size() == 1 ? " of rank" : " of ranks";
  for (const int rank : hello.ranks) text += ' ' + std::to_string(rank);
  return text;
}

}  // namespace

ProgramTrial::ProgramTrial(Conversation& conversation, std::uint64_t id, const Case& problem,
                           const SharedShape& shape, const Claim& claim,
                           AllContributions* contributions)
    : conversation_(conversation),
      problem_(problem),
      shape_(shape),
      claim_(claim),
      contributions_(contributions) {
  for (std::size_t party = 0; party < conversation.parties(); ++party) {
    const Hello& hello = conversation.hello(party);
    parties_.push_back({.question = {.id = id,
                                     .kind = hello.kind,
                                     .shape = shape,
                                     .result = role_dtypes(claim, problem.dtype).output,
                                     .pieces = claim.result == Result::pieces,
                                     .parameters = problem.dtype,
                                     .steps = static_cast<int>(problem.steps.size()),
                                     .world = problem.world_size(),
                                     .ranks = asked_ranks(hello, problem.world_size().value)}});
  }
}

void ProgramTrial::ask() {
  for (std::size_t party = 0; party < parties_.size(); ++party) {
    const Question& question = parties_[party].question;
    conversation_.send(party, case_message(question.id, problem_, *shape_, claim_, contributions_,
                                           question.ranks));
  }
}

bool ProgramTrial::all_have_answered() const {
  return std::ranges::all_of(parties_, [](const Party& party) { return party.answer.has_value(); });
}

Outcome ProgramTrial::run(Conversation::Clock::time_point deadline) {
  ask();
  bool hurried = false;
  while (true) {
    const bool in_time = conversation_.pump(deadline);
    for (std::size_t party = 0; party < parties_.size(); ++party) {
      if (!parties_[party].answer) take(party);
    }
    if (all_have_answered()) break;
    if (!in_time) {
      in_step_ = false;
      break;
    }
    if (failed_ && !hurried) {
      deadline = std::min(deadline, Conversation::Clock::now() + kForTheOthers);
      hurried = true;
    }
  }
  return outcome();
}

void ProgramTrial::take(std::size_t party) {
  if (const auto line = conversation_.take_line(party)) {
    answered(party, read_answer(*line, parties_[party].question));
    const std::string& rest = conversation_.rest(party);
    if (!rest.empty() && in_step_) {
      misbehaved(party, "went on after its answer with " + beginning_of(rest));
    }
    return;
  }
  const std::string& rest = conversation_.rest(party);
  const std::size_t most = longest_answer(parties_[party].question);
  if (rest.size() > most) {
    return misbehaved(party, "sent more than " + std::to_string(most) +
                                 " bytes without the end of a line, beginning with " +
                                 beginning_of(rest));
  }
  if (conversation_.closed(party)) ended(party);
}

void ProgramTrial::answered(std::size_t party, Answer answer) {
  in_step_ = in_step_ && answer.in_step;
  failed_ = failed_ || std::holds_alternative<Outcome>(answer.what);
  parties_[party].answer = std::move(answer);
}

void ProgramTrial::misbehaved(std::size_t party, std::string what) {
  const std::vector<int>& ranks = parties_[party].question.ranks;
  Misbehaved misbehaved;
  misbehaved.rank = Rank{ranks.empty() ? 0 : ranks.front()};
  misbehaved.what = std::move(what);
  answered(party, {.what = Outcome(std::move(misbehaved)), .in_step = false});
}

void ProgramTrial::ended(std::size_t party) {
  const std::string rest = conversation_.rest(party);
  const auto until = Conversation::Clock::now() + kToEnd;
  const ProcessEnd end = conversation_.process().finish(until);
  const bool killed = Conversation::Clock::now() >= until;
  if (!rest.empty()) {
    return misbehaved(party,
                      "ended in the middle of its answer, which begins with " + beginning_of(rest));
  }
  const std::string before = " before it had answered";
  const Hello& hello = conversation_.hello(party);
  Died died;
  died.signal = end.how == ProcessEnd::How::signalled && !killed ? end.code : 0;
  died.what = killed ? "closed its side of the conversation" + whose(hello) + before
                     : describe(end) + before;
  answered(party, {.what = Outcome(std::move(died)), .in_step = false});
}

Outcome ProgramTrial::outcome() {
  Outcome* first = nullptr;
  for (Party& party : parties_) {
    if (!party.answer) continue;
    auto* failure = std::get_if<Outcome>(&party.answer->what);
    if (failure == nullptr) continue;
    if (first == nullptr || order_of(*failure) < order_of(*first)) first = failure;
  }
  if (first == nullptr) return all_have_answered() ? returned() : timed_out();
  if (auto* misbehaved = std::get_if<Misbehaved>(first)) misbehaved->log = conversation_.log();
  if (auto* died = std::get_if<Died>(first)) died->log = conversation_.log();
  return std::move(*first);
}

Outcome ProgramTrial::returned() {
  Returned returned;
  const auto world = static_cast<std::size_t>(problem_.world_size().value);
  returned.results.assign(problem_.steps.size(), std::vector<RankResult>(world));
  for (Party& party : parties_) {
    auto& steps = std::get<0>(party.answer->what);
    for (std::size_t s = 0; s < steps.size(); ++s) {
      for (std::size_t i = 0; i < steps[s].size(); ++i) {
        const auto rank = static_cast<std::size_t>(party.question.ranks[i]);
        returned.results[s][rank] = std::move(steps[s][i]);
      }
    }
  }
  if (contributions_ != nullptr) returned.contributions = std::move(*contributions_);
  return returned;
}

Outcome ProgramTrial::timed_out() {
  TimedOut out;
  out.killed = true;
  out.log = conversation_.log();
  for (const Party& party : parties_) {
    if (party.answer) continue;
    for (const int rank : party.question.ranks) out.stuck.push_back(Rank{rank});
  }
  std::ranges::sort(out.stuck);
  return out;
}

}  // namespace shardproof
