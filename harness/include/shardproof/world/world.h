#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "shardproof/case/types.h"
#include "shardproof/world/communicator.h"

namespace shardproof {

/// What a rank was waiting for when it was cancelled.
struct Wait {
  enum class For { barrier, message, turn };
  Rank rank;
  For what = For::barrier;
  Rank peer;  ///< the sender, where a message is awaited; the rank before it, where a turn is

  friend bool operator==(const Wait&, const Wait&) = default;
};

/// How one rank's body ended.
struct RankReturned {};
struct RankDeclined {
  std::string message;
};
struct RankThrew {
  std::string message;
};
struct RankCancelled {
  Wait wait;
};
/// Still running outside the communicator when time ran out; its thread was abandoned.
struct RankStuck {};
using RankEnd = std::variant<RankReturned, RankDeclined, RankThrew, RankCancelled, RankStuck>;

/// How a trial ended on every rank.
struct WorldReport {
  std::vector<RankEnd> ranks;
  bool deadlocked = false;  ///< every rank waited or had ended, and no wait could be satisfied
  bool timed_out = false;
  std::vector<Rank> running;  ///< when time ran out: neither ended nor waiting

  [[nodiscard]] bool all_returned() const;
};

/// One persistent thread per rank, started when it is first needed and kept between trials.
///
/// `run` executes a body on every rank and returns when all have ended. A rank that throws or
/// declines does not end the others by itself: they run until they return, or wait for what cannot
/// come any more, which is found at once, without a clock. After a deadlock the world stays usable.
/// A rank that is stuck outside the communicator can only be abandoned: its thread keeps alive the
/// body and all that the body owns (capture by value or shared_ptr), and `usable()` is false from
/// then on.
///
/// Every trial begins with rounding to nearest and gradual underflow on every rank's thread,
/// whatever an earlier body left there.
class World {
 public:
  using Body = std::function<void(Communicator&)>;

  World();
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  [[nodiscard]] bool usable() const;

  /// \param size     of the world, up to kMaxWorldSize; may differ from trial to trial
  /// \param body     run once per rank, on that rank's thread
  /// \param arrival  ranks in the order of their first communicator call (or return); empty: any
  /// \param timeout  for the whole trial. When it has passed, every wait is cancelled; ranks that
  ///                 are not back after four times as long, counted from the start, are abandoned
  /// \pre   usable()
  WorldReport run(WorldSize size, std::shared_ptr<const Body> body, std::span<const int> arrival,
                  std::chrono::nanoseconds timeout);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

/// Whether any thread of this process was abandoned (main then leaves without waiting for it).
bool any_thread_abandoned();

}  // namespace shardproof
