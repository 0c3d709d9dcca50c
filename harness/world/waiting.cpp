#include "world/waiting.h"

#include <thread>

namespace shardproof::world {
namespace {

constexpr int kSpins = 20;
constexpr int kYields = 40;

void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

/// Whether `ready` came true within the spins and yields.
template <class Ready>
bool soon(const Ready& ready) {
  for (int i = 0; i < kSpins; ++i) {
    if (ready()) return true;
    relax();
  }
  for (int i = 0; i < kYields; ++i) {
    if (ready()) return true;
    std::this_thread::yield();
  }
  return false;
}

}  // namespace

void SpinLock::lock() {
  for (int tries = 0; held_.exchange(true, std::memory_order_acquire); ++tries) {
    while (held_.load(std::memory_order_relaxed)) {
      if (++tries < kSpins) {
        relax();
      } else {
        std::this_thread::yield();
      }
    }
  }
}

void Signal::wait() {
  if (soon([this] { return word_.load(std::memory_order_acquire) == kRaised; })) return;
  std::uint32_t expected = kArmed;
  if (!word_.compare_exchange_strong(expected, kParked, std::memory_order_acq_rel)) return;
  do {
    word_.wait(kParked, std::memory_order_acquire);
  } while (word_.load(std::memory_order_acquire) != kRaised);
}

bool Completion::wait_until(std::chrono::steady_clock::time_point deadline) {
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
