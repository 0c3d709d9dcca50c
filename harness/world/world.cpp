#include "shardproof/world/world.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <utility>

#include "world/exchange.h"
#include "world/float_environment.h"
#include "world/rank_communicator.h"
#include "world/waiting.h"

namespace shardproof {
namespace {

std::atomic<bool> thread_abandoned{false};

/// Ranks that are not back after so many times the limit are abandoned; one that is merely slow
/// comes back before.
constexpr int kGraceFactor = 4;
constexpr std::chrono::nanoseconds kLongestTimeout = std::chrono::hours(24 * 365);

/// Runs the body on one rank; what it throws becomes a value.
RankEnd execute(const World::Body& body, Communicator& ranks) {
  try {
    body(ranks);
    return RankReturned{};
  } catch (const Decline& decline) {
    return RankDeclined{decline.what()};
  } catch (const std::exception& error) {
    return RankThrew{error.what()};
  } catch (const Cancelled&) {
    // The exchange knows whether and where it was cancelled; otherwise the body threw it itself.
    return RankThrew{"Cancelled, which was not"};
  } catch (...) {
    return RankThrew{"unknown exception"};
  }
}

}  // namespace

bool WorldReport::all_returned() const {
  return std::all_of(ranks.begin(), ranks.end(),
                     [](const RankEnd& end) { return std::holds_alternative<RankReturned>(end); });
}

/// All that a rank's thread can reach; every thread shares its ownership, so that an abandoned one
/// touches nothing that has gone.
struct World::State {
  struct Worker {
    world::Signal start;
    std::thread thread;
  };

  world::Exchange exchange;
  world::Completion completion;
  std::shared_ptr<const Body> body;
  std::atomic<bool> stopping{false};
  bool usable = true;
  std::array<Worker, kMaxWorldSize> workers;
  int started = 0;
  std::atomic<int> size{kMaxWorldSize};  ///< of the last trial

  static void serve(const std::shared_ptr<State>& state, int rank);
  void start_threads(const std::shared_ptr<State>& self, int size);
  void wake(int rank);
};

void World::State::serve(const std::shared_ptr<State>& state, int rank) {
  world::RankCommunicator communicator(state->exchange, rank);
  world::Signal& start = state->workers[static_cast<std::size_t>(rank)].start;
  while (true) {
    start.wait_for_trial(rank, state->size);
    if (state->stopping.load(std::memory_order_acquire)) return;
    // Armed before the end is reported: the next trial may begin at once.
    start.arm();
    world::reset_float_environment();
    RankEnd end = execute(*state->body, communicator);
    if (state->exchange.end(rank, std::move(end))) state->completion.raise();
  }
}

void World::State::start_threads(const std::shared_ptr<State>& self, int size) {
  for (; started < size; ++started) {
    Worker& worker = workers[static_cast<std::size_t>(started)];
    worker.start.arm();
    worker.thread = std::thread([self, rank = started] { serve(self, rank); });
  }
}

void World::State::wake(int rank) {
  world::Signal& start = workers[static_cast<std::size_t>(rank)].start;
  if (start.raise()) start.unpark();
}

World::World() : state_(std::make_shared<State>()) {}

World::~World() {
  state_->stopping.store(true, std::memory_order_release);
  for (int r = 0; r < state_->started; ++r) state_->wake(r);
  for (int r = 0; r < state_->started; ++r) {
    std::thread& thread = state_->workers[static_cast<std::size_t>(r)].thread;
    // Where one is stuck all are left alone: those that are not end by themselves.
    if (state_->usable) {
      thread.join();
    } else {
      thread.detach();
    }
  }
}

bool World::usable() const { return state_->usable; }

WorldReport World::run(WorldSize size, std::shared_ptr<const Body> body,
                       std::span<const int> arrival, std::chrono::nanoseconds timeout) {
  State& state = *state_;
  state.start_threads(state_, size.value);
  timeout = std::clamp(timeout, std::chrono::nanoseconds::zero(), kLongestTimeout);
  const auto begin = std::chrono::steady_clock::now();
  state.exchange.begin(size, arrival);
  state.completion.arm();
  state.body = std::move(body);
  state.size.store(size.value, std::memory_order_relaxed);
  for (int r = 0; r < size.value; ++r) state.wake(r);

  bool timed_out = false;
  bool finished = state.completion.wait_until(begin + timeout);
  if (!finished) {
    timed_out = true;
    state.exchange.cancel();
    finished = state.completion.wait_until(begin + kGraceFactor * timeout);
  }
  WorldReport report = state.exchange.report(timed_out);
  if (finished) {
    state.body.reset();
  } else {
    state.usable = false;
    thread_abandoned.store(true, std::memory_order_relaxed);
  }
  return report;
}

bool any_thread_abandoned() { return thread_abandoned.load(std::memory_order_relaxed); }

}  // namespace shardproof
