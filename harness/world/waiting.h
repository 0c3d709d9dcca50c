#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace shardproof::world {

/// Guards a handful of instructions: spins, then yields. A mutex would park the next rank whenever
/// the holder is preempted, which costs more than the whole critical section.
class alignas(64) SpinLock {
 public:
  void lock() {
    if (held_.exchange(true, std::memory_order_acquire)) lock_contended();
  }
  void unlock() { held_.store(false, std::memory_order_release); }

 private:
  void lock_contended();
  std::atomic<bool> held_{false};
};

/// One thread waits for another to raise it, once for each time that it was armed.
///
/// With more ranks than cores a yield hands over in about a microsecond and parking costs several,
/// so a waiting thread yields for a while before it parks. Where other programs want the cores, a
/// yield gives away a whole time slice: a thread that has just seen that happen parks at once.
class alignas(64) Signal {
 public:
  /// By the waiting thread, before anybody can raise it.
  void arm() { word_.store(kArmed, std::memory_order_relaxed); }
  /// Waits until raised.
  void wait();
  /// The same for rank `rank` between trials: parks as soon as a trial of `size` ranks is without
  /// it, because its yields would only delay the others.
  void wait_for_trial(int rank, const std::atomic<int>& size);
  /// What was written before it is visible to the waiting thread after its `wait`.
  /// \return whether that thread is parked: `unpark` has to follow, best outside of any lock
  [[nodiscard]] bool raise() {
    return word_.exchange(kRaised, std::memory_order_acq_rel) == kParked;
  }
  void unpark();

 private:
  static constexpr std::uint32_t kArmed = 0;
  static constexpr std::uint32_t kParked = 1;
  static constexpr std::uint32_t kRaised = 2;

  [[nodiscard]] bool raised() const { return word_.load(std::memory_order_acquire) == kRaised; }
  void park_until_raised();

  std::atomic<std::uint32_t> word_{kArmed};
};

/// The same with a deadline, for the thread that coordinates.
class alignas(64) Completion {
 public:
  void arm() { word_.store(kArmed, std::memory_order_relaxed); }
  /// \return false when the deadline passed first
  bool wait_until(std::chrono::steady_clock::time_point deadline);
  void raise();

 private:
  static constexpr std::uint32_t kArmed = 0;
  static constexpr std::uint32_t kParked = 1;
  static constexpr std::uint32_t kRaised = 2;
  std::atomic<std::uint32_t> word_{kArmed};
  std::mutex mutex_;
  std::condition_variable parked_;
};

}  // namespace shardproof::world
