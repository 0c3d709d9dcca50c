#include "shardproof/subject/library_subject.h"

#include <utility>

#include "case/one_line.h"
#include "shardproof/subject/worker.h"
#include "subject/all_contributions.h"
#include "subject/plugin/plugin_subject.h"
#include "subject/process/process.h"
#include "subject/subject_under_claim.h"
#include "subject/worker/messages.h"
#include "subject/worker/wire.h"

namespace shardproof {
namespace {

using Clock = Process::Clock;
using namespace std::chrono_literals;

/// How long a worker may take to end by itself: to close what its plug-in has opened.
constexpr auto kFarewell = 2s;
/// A worker sees for itself that the time of a trial has run out and says who was late; one that
/// does not get to say it in so much more time is killed.
constexpr auto kGrace = 250ms;

/// The case as a reducer's worker needs it: what ranks hand in, and of the rows their masks alone.
Case for_reducer(Case problem, const AllContributions& contributions) {
  for (Step& step : problem.steps) {
    for (Shard& shard : step.shards) {
      for (MicroBatch& batch : shard.micro_batches) {
        batch.x.clear();
        batch.y.clear();
      }
    }
  }
  problem.given = given(contributions);
  return problem;
}

/// A running worker and its first answers.
class Worker {
 public:
  /// \throws StartError
  Worker(const Launcher& launcher, const std::string& path, std::chrono::nanoseconds startup)
      : process_(launcher, {.arguments = {launcher.program, std::string(kWork), path},
                            .environment = {},
                            .over_channel = true}),
        startup_(startup) {
    hello_ = hello_of(answer_to_start());
    if (!hello_.failure.empty()) throw StartError(one_line(hello_.failure));
  }

  [[nodiscard]] const WorkerHello& hello() const { return hello_; }
  Process& process() { return process_; }

  /// \throws StartError  when its `open` fails
  void put_under(const std::shared_ptr<const Claim>& claim) {
    if (claim_ == claim) return;
    process_.send(frame(claim_message(settings(*claim))));
    const WorkerHello answer = hello_of(answer_to_start());
    if (!answer.failure.empty()) throw StartError(one_line(answer.failure));
    claim_ = claim;
  }

 private:
  std::string answer_to_start() {
    const auto deadline = Clock::now() + startup_;
    try {
      while (true) {
        if (auto payload = take_frame(process_.received())) return *payload;
        const Process::Turn turn = process_.pump(deadline);
        if (turn == Process::Turn::out_of_time) {
          throw StartError("it was not loaded and opened in time");
        }
        if (turn == Process::Turn::closed) {
          const ProcessEnd end = process_.finish(Clock::now() + kFarewell);
          throw StartError("it " + describe(end) + " while it was loaded");
        }
      }
    } catch (const WireError& error) {
      throw StartError(std::string("its worker answers with rubbish: ") + error.what());
    }
  }

  Process process_;
  std::chrono::nanoseconds startup_;
  WorkerHello hello_;
  std::shared_ptr<const Claim> claim_;
};

class LibrarySubject final : public SubjectUnderClaim {
 public:
  LibrarySubject(const std::string& path, const Launcher& launcher,
                 std::chrono::nanoseconds startup, std::unique_ptr<Worker> worker)
      : SubjectUnderClaim(path, with_settings(Claim{}, worker->hello().claim)),
        path_(path),
        launcher_(launcher),
        startup_(startup),
        kind_(static_cast<shardproof_kind>(worker->hello().kind)),
        worker_(std::move(worker)) {}

  ~LibrarySubject() override {
    if (worker_ == nullptr) return;
    worker_->process().close_input();
    worker_->process().finish(Clock::now() + kFarewell);
  }

  [[nodiscard]] SubjectKind kind() const override { return subject_kind(kind_); }

  void check(const Claim& claim) const override { check_fits(kind_, claim); }

  void start() override {
    if (worker_ == nullptr) worker_ = std::make_unique<Worker>(launcher_, path_, startup_);
    worker_->put_under(shared_claim());
  }

  bool restart() override {
    worker_.reset();
    return true;
  }

  Outcome run(const SharedCase& problem, const Limits& limits) override {
    try {
      start();
    } catch (const StartError& error) {
      worker_.reset();
      return Died{.signal = 0, .what = std::string("could not be started again: ") + error.what()};
    }
    WorkerTask task{.timeout = limits.timeout, .problem = {}};
    AllContributions contributions;
    if (kind() == SubjectKind::reducer) {
      contributions = all_contributions(*problem, claim().input, claim().gradient);
      task.problem = for_reducer(*problem, contributions);
    } else {
      task.problem = *problem;
    }
    worker_->process().forget_errors();
    worker_->process().send(frame(to_bytes(task)));
    Outcome outcome = answer(*problem, Clock::now() + limits.timeout + limits.timeout / 4 + kGrace);
    if (auto* returned = std::get_if<Returned>(&outcome)) {
      returned->contributions = std::move(contributions);
    }
    return outcome;
  }

 private:
  Outcome answer(const Case& problem, Clock::time_point deadline) {
    Process& process = worker_->process();
    try {
      while (true) {
        if (const auto payload = take_frame(process.received())) {
          return checked(outcome_of(*payload, tree_shape(problem.model)), problem);
        }
        const Process::Turn turn = process.pump(deadline);
        if (turn == Process::Turn::closed) return died();
        if (turn == Process::Turn::out_of_time) return hung();
      }
    } catch (const WireError& error) {
      return lost_its_senses(error.what());
    }
  }

  /// Its plug-in shares the worker's memory: nothing that comes from there is taken on trust.
  Outcome checked(Outcome outcome, const Case& problem) {
    if (auto* late = std::get_if<TimedOut>(&outcome)) {
      late->killed = true;
      late->log = worker_->process().errors();
      worker_.reset();
    } else if (auto* misbehaved = std::get_if<Misbehaved>(&outcome)) {
      misbehaved->log = worker_->process().errors();
      // It wrote where it must not: what else it has broken will not be seen at once.
      worker_.reset();
    } else if (const auto* returned = std::get_if<Returned>(&outcome)) {
      const auto ranks = static_cast<std::size_t>(problem.world_size().value);
      bool whole = returned->results.size() == problem.steps.size();
      for (const auto& step : returned->results) whole = whole && step.size() == ranks;
      if (!whole) throw WireError("another number of results");
    }
    return outcome;
  }

  Outcome died() {
    const ProcessEnd end = worker_->process().finish(Clock::now() + kFarewell);
    Died died{.signal = end.how == ProcessEnd::How::signalled ? end.code : 0,
              .what = describe(end) + " before it had answered",
              .log = worker_->process().errors()};
    worker_.reset();
    return died;
  }

  Outcome hung() {
    worker_->process().kill();
    TimedOut late{.stuck = {}, .killed = true, .log = worker_->process().errors()};
    worker_.reset();
    return late;
  }

  Outcome lost_its_senses(const std::string& how) {
    worker_->process().kill();
    Misbehaved misbehaved{
        .rank = {},
        .step = 0,
        .what = "its worker answers with rubbish (" + how + "): it wrote where it must not",
        .log = worker_->process().errors()};
    worker_.reset();
    return misbehaved;
  }

  std::string path_;
  Launcher launcher_;
  std::chrono::nanoseconds startup_;
  shardproof_kind kind_;
  std::unique_ptr<Worker> worker_;
};

}  // namespace

std::unique_ptr<Subject> library_subject(const std::string& path, const Launcher& launcher,
                                         std::chrono::nanoseconds startup) {
  auto worker = std::make_unique<Worker>(launcher, path, startup);
  return std::make_unique<LibrarySubject>(path, launcher, startup, std::move(worker));
}

}  // namespace shardproof
