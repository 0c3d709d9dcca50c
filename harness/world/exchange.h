#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "shardproof/case/case.h"
#include "shardproof/world/communicator.h"
#include "shardproof/world/world.h"
#include "world/waiting.h"

namespace shardproof::world {

/// What the ranks of a trial share: who waits for what, messages, slots, the order of arrival.
///
/// One lock guards the bookkeeping. A rank that satisfies another's wait marks that rank as running
/// in the same critical section, so `running_` is zero exactly when every rank waits or has ended
/// and no wait can be satisfied any more: a deadlock is seen at once and without a clock, and for
/// ranks whose actions depend on what they receive alone it is the same deadlock every time.
class Exchange {
 public:
  /// Makes ready for a trial. \pre no rank of an earlier trial is still running
  void begin(WorldSize size, std::span<const int> arrival);

  // By a rank, in its own thread. All but `end` throw Cancelled once the trial was cancelled.
  void barrier(int rank);
  void send(int rank, int to, std::span<const std::byte> bytes);
  void receive(int rank, int from, std::span<std::byte> bytes);
  void publish(int rank, std::span<const std::byte> bytes);
  [[nodiscard]] std::span<const std::byte> slot(int rank, int of);

  /// Records how a rank's body ended, after the ranks before it in the order of arrival have
  /// entered. \return whether it was the last one
  bool end(int rank, RankEnd how);

  /// Time has run out: wakes every wait with Cancelled. Without effect once all ranks have ended.
  void cancel();

  /// How every rank ended; `stuck` for those that have not.
  [[nodiscard]] WorldReport report(bool timed_out);

  [[nodiscard]] int size() const { return size_; }

 private:
  using Buffer = std::vector<std::byte>;

  static Wait waiting(int rank, Wait::For what, int peer) {
    return {.rank = Rank{rank}, .what = what, .peer = Rank{peer}};
  }

  /// Messages between two ranks, oldest first: a ring whose capacity is a power of two.
  struct Queue {
    std::uint64_t trial = 0;  ///< of its contents; those of an earlier trial do not count
    std::size_t head = 0;
    std::size_t count = 0;
    std::vector<Buffer> ring;

    void push(Buffer message);
    Buffer pop();
  };

  /// Published bytes: written for the phase after the next barrier, read in that phase.
  struct Slot {
    std::uint64_t phase = 0;
    std::uint64_t trial = 0;
    Buffer bytes;
  };

  enum class Status { running, waiting, ended };

  struct alignas(64) RankState {
    Signal signal;
    Status status = Status::running;
    bool cancelled = false;            ///< how the last wait ended
    std::optional<Wait> cancelled_in;  ///< the first call that was cancelled
    Wait wait;                         ///< while waiting
    bool entered = false;              ///< has made its first call or has ended
    int position = 0;                  ///< in the order of arrival
    std::uint64_t phase = 0;           ///< barriers passed
    Buffer handed;                     ///< the message that ended its wait
    std::optional<RankEnd> end;
    std::vector<Buffer> spare;        ///< buffers to send in; of this rank's thread alone
    std::array<Slot, 2> published{};  ///< by the parity of the phase in which they are read
  };

  /// Threads to unpark once the lock is released: one bit a rank.
  using Parked = std::uint64_t;
  static_assert(kMaxWorldSize <= 64);
  using Lock = std::unique_lock<SpinLock>;

  [[nodiscard]] Queue& queue(int from, int to);
  void check_peer(int rank, const char* verb, int peer) const;
  /// Waits until it is this rank's turn, then lets the next one in; the lock is held before and
  /// afterwards. \return false when cancelled
  bool enter(int rank, Lock& lock);
  /// Throws when cancelled, enters otherwise; for calls that need no lock besides.
  void enter_or_throw(int rank, Wait::For what, int peer);
  /// Waits; the lock is held before and released afterwards. \return false when cancelled
  bool wait(int rank, Wait::For what, int peer, Lock& lock);
  /// Marks a waiting rank as running and raises its signal.
  void release(int rank, bool cancelled, Parked& parked);
  void cancel_waits(Parked& parked);
  void unpark(Parked parked);
  /// Remembers the first call that was cancelled, releases the lock and throws.
  [[noreturn]] void throw_cancelled(const Wait& wait, Lock& lock);

  alignas(64) SpinLock lock_;
  int size_ = 0;
  int running_ = 0;
  int ended_ = 0;
  int at_barrier_ = 0;
  int turn_ = 0;                        ///< position that may enter next
  std::atomic<bool> cancelled_{false};  ///< written with the lock held
  bool deadlocked_ = false;
  std::uint64_t trial_ = 0;
  std::size_t unread_bytes_ = 0;
  std::vector<int> arrival_;
  std::vector<Rank> running_when_cancelled_;
  std::array<RankState, kMaxWorldSize> ranks_;
  std::vector<Queue> queues_;  ///< [from][to] of a world of `queue_side_` ranks
  int queue_side_ = 0;
};

}  // namespace shardproof::world
