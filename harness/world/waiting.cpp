#include "world/waiting.h"

#include <thread>

#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace shardproof::world {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kSpins = 16;
constexpr int kYields = 200;
/// A yield among ranks alone comes back within some microseconds for each of them; one that lets
/// another program run, after its time slice, which is a millisecond or more.
constexpr Clock::duration kSlowYield = std::chrono::milliseconds(1);
/// How many waits park at once after a slow yield, before yielding is tried again.
constexpr int kWaitsAfterSlowYield = 50;

void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

/// Whether `ready` came true within some yields.
template <class Ready>
bool soon(const Ready& ready) {
  thread_local int park_at_once = 0;
  if (ready()) return true;
  if (park_at_once > 0) {
    --park_at_once;
    return false;
  }
  Clock::time_point before = Clock::now();
  for (int i = 0; i < kYields; ++i) {
    std::this_thread::yield();
    if (ready()) return true;
    const Clock::time_point after = Clock::now();
    if (after - before > kSlowYield) {
      park_at_once = kWaitsAfterSlowYield;
      return false;
    }
    before = after;
  }
  return false;
}

#if defined(__linux__)
/// Parks while `word` holds `value`. std::atomic::wait would yield several times first.
void park(std::atomic<std::uint32_t>& word, std::uint32_t value) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}
void unpark_one(std::atomic<std::uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}
#else
void park(std::atomic<std::uint32_t>& word, std::uint32_t value) { word.wait(value); }
void unpark_one(std::atomic<std::uint32_t>& word) { word.notify_one(); }
#endif

}  // namespace

void SpinLock::lock_contended() {
  int tries = 0;
  do {
    while (held_.load(std::memory_order_relaxed)) {
      if (++tries < kSpins) {
        relax();
      } else {
        std::this_thread::yield();
      }
    }
  } while (held_.exchange(true, std::memory_order_acquire));
}

void Signal::wait() {
  if (!soon([this] { return raised(); })) park_until_raised();
}

void Signal::wait_for_trial(int rank, const std::atomic<int>& size) {
  soon([&] { return raised() || size.load(std::memory_order_relaxed) <= rank; });
  park_until_raised();
}

void Signal::park_until_raised() {
  std::uint32_t expected = kArmed;
  word_.compare_exchange_strong(expected, kParked, std::memory_order_acq_rel);
  while (!raised()) park(word_, kParked);
}

void Signal::unpark() { unpark_one(word_); }

bool Completion::wait_until(Clock::time_point deadline) {
  const auto raised = [this] { return word_.load(std::memory_order_acquire) == kRaised; };
  if (soon(raised)) return true;
  std::uint32_t expected = kArmed;
  word_.compare_exchange_strong(expected, kParked, std::memory_order_acq_rel);
  std::unique_lock lock(mutex_);
  return parked_.wait_until(lock, deadline, raised);
}

void Completion::raise() {
  if (word_.exchange(kRaised, std::memory_order_acq_rel) != kParked) return;
  // The lock makes sure that the other thread is not between its test and its wait.
  const std::lock_guard lock(mutex_);
  parked_.notify_one();
}

}  // namespace shardproof::world
