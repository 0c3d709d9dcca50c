#include "world/exchange.h"

#include <stdexcept>
#include <utility>

namespace shardproof::world {

void Exchange::begin(WorldSize size, std::span<const int> arrival) {
  const std::lock_guard lock(lock_);
  size_ = size.value;
  running_ = size_;
  ended_ = at_barrier_ = turn_ = 0;
  cancelled_.store(false, std::memory_order_relaxed);
  deadlocked_ = false;
  unread_bytes_ = 0;
  running_when_cancelled_.clear();
  ++trial_;
  if (queue_side_ < size_) {
    queue_side_ = size_;
    queues_ = std::vector<Queue>(static_cast<std::size_t>(size_) * static_cast<std::size_t>(size_));
  }
  arrival_.assign(arrival.begin(), arrival.end());
  for (int r = 0; r < size_; ++r) {
    RankState& rank = ranks_[static_cast<std::size_t>(r)];
    rank.status = Status::running;
    rank.cancelled = false;
    rank.cancelled_in.reset();
    rank.entered = arrival_.empty();
    rank.phase = 0;
    rank.end.reset();
  }
  for (std::size_t i = 0; i < arrival_.size(); ++i) {
    ranks_[static_cast<std::size_t>(arrival_[i])].position = static_cast<int>(i);
  }
}

void Exchange::barrier(int rank) {
  RankState& me = ranks_[static_cast<std::size_t>(rank)];
  Lock lock(lock_);
  const Wait here = waiting(rank, Wait::For::barrier, 0);
  if (!enter(rank, lock)) throw_cancelled(here, lock);
  if (++at_barrier_ < size_) {
    if (!wait(rank, Wait::For::barrier, 0, lock)) throw Cancelled{};
    ++me.phase;
    return;
  }
  at_barrier_ = 0;
  Parked parked = 0;
  for (int r = 0; r < size_; ++r) {
    if (r != rank) release(r, false, parked);
  }
  lock.unlock();
  unpark(parked);
  ++me.phase;
}

void Exchange::publish(int rank, std::span<const std::byte> bytes) {
  enter_or_throw(rank, Wait::For::barrier, 0);
  RankState& me = ranks_[static_cast<std::size_t>(rank)];
  const std::uint64_t phase = me.phase + 1;
  Slot& slot = me.published[phase % 2];
  slot.phase = phase;
  slot.trial = trial_;
  slot.bytes.assign(bytes.begin(), bytes.end());
}

std::span<const std::byte> Exchange::slot(int rank, int of) {
  check_peer(rank, "slot of", of);
  enter_or_throw(rank, Wait::For::barrier, 0);
  const std::uint64_t phase = ranks_[static_cast<std::size_t>(rank)].phase;
  const Slot& slot = ranks_[static_cast<std::size_t>(of)].published[phase % 2];
  if (slot.trial != trial_ || slot.phase != phase) return {};
  return slot.bytes;
}

bool Exchange::end(int rank, RankEnd how) {
  RankState& me = ranks_[static_cast<std::size_t>(rank)];
  Lock lock(lock_);
  const bool was_cancelled = me.cancelled_in.has_value();
  enter(rank, lock);  // by ending, where it made no call; cancelled or not, it has ended
  me.status = Status::ended;
  if (was_cancelled) {
    // Whatever it made of Cancelled, this trial was over for it.
    me.end.emplace(std::in_place_type<RankCancelled>, *me.cancelled_in);
  } else {
    me.end.emplace(std::move(how));
  }
  ++ended_;
  Parked parked = 0;
  if (--running_ == 0 && ended_ < size_) {
    deadlocked_ = true;
    cancel_waits(parked);
  }
  const bool last = ended_ == size_;
  lock.unlock();
  unpark(parked);
  return last;
}

void Exchange::cancel() {
  Lock lock(lock_);
  if (ended_ == size_) return;
  for (int r = 0; r < size_; ++r) {
    if (ranks_[static_cast<std::size_t>(r)].status == Status::running) {
      running_when_cancelled_.push_back(Rank{r});
    }
  }
  Parked parked = 0;
  cancel_waits(parked);
  lock.unlock();
  unpark(parked);
}

WorldReport Exchange::report(bool timed_out) {
  WorldReport report;
  report.ranks.reserve(static_cast<std::size_t>(size_));
  const std::lock_guard lock(lock_);
  report.deadlocked = deadlocked_;
  report.timed_out = timed_out;
  report.running = running_when_cancelled_;
  for (int r = 0; r < size_; ++r) {
    const RankState& rank = ranks_[static_cast<std::size_t>(r)];
    if (rank.end) {
      report.ranks.push_back(*rank.end);
    } else if (deadlocked_ && rank.cancelled_in) {
      // It did not come back from a deadlock, which is what the trial proves.
      report.ranks.emplace_back(std::in_place_type<RankCancelled>, *rank.cancelled_in);
    } else {
      report.ranks.emplace_back(std::in_place_type<RankStuck>);
    }
  }
  return report;
}

void Exchange::check_peer(int rank, const char* verb, int peer) const {
  if (peer >= 0 && peer < size_) return;
  throw std::invalid_argument("rank " + std::to_string(rank) + ": " + verb + " rank " +
                              std::to_string(peer) + " in a world of " + std::to_string(size_));
}

bool Exchange::enter(int rank, Lock& lock) {
  if (cancelled_.load(std::memory_order_relaxed)) return false;
  RankState& me = ranks_[static_cast<std::size_t>(rank)];
  if (me.entered) return true;
  if (me.position != turn_) {
    const int before = arrival_[static_cast<std::size_t>(me.position - 1)];
    const bool admitted = wait(rank, Wait::For::turn, before, lock);
    lock.lock();
    if (!admitted) return false;
  }
  me.entered = true;
  if (static_cast<std::size_t>(++turn_) == arrival_.size()) return true;
  const int next = arrival_[static_cast<std::size_t>(turn_)];
  const RankState& waiter = ranks_[static_cast<std::size_t>(next)];
  if (waiter.status == Status::waiting && waiter.wait.what == Wait::For::turn) {
    Parked parked = 0;
    release(next, false, parked);
    unpark(parked);
  }
  return true;
}

void Exchange::enter_or_throw(int rank, Wait::For what, int peer) {
  const RankState& me = ranks_[static_cast<std::size_t>(rank)];
  if (me.entered && !cancelled_.load(std::memory_order_acquire)) return;
  Lock lock(lock_);
  if (!enter(rank, lock)) throw_cancelled(waiting(rank, what, peer), lock);
}

bool Exchange::wait(int rank, Wait::For what, int peer, Lock& lock) {
  RankState& me = ranks_[static_cast<std::size_t>(rank)];
  me.wait = waiting(rank, what, peer);
  me.status = Status::waiting;
  me.signal.arm();
  Parked parked = 0;
  if (--running_ == 0) {
    deadlocked_ = true;
    cancel_waits(parked);
  }
  lock.unlock();
  unpark(parked);
  me.signal.wait();
  return !me.cancelled;
}

void Exchange::release(int rank, bool cancelled, Parked& parked) {
  RankState& waiter = ranks_[static_cast<std::size_t>(rank)];
  waiter.status = Status::running;
  waiter.cancelled = cancelled;
  ++running_;
  if (waiter.signal.raise()) parked |= Parked{1} << rank;
}

void Exchange::cancel_waits(Parked& parked) {
  cancelled_.store(true, std::memory_order_release);
  for (int r = 0; r < size_; ++r) {
    RankState& rank = ranks_[static_cast<std::size_t>(r)];
    if (rank.status != Status::waiting) continue;
    if (!rank.cancelled_in) rank.cancelled_in = rank.wait;
    release(r, true, parked);
  }
}

void Exchange::unpark(Parked parked) {
  for (int r = 0; parked != 0; ++r, parked >>= 1) {
    if ((parked & 1) != 0) ranks_[static_cast<std::size_t>(r)].signal.unpark();
  }
}

void Exchange::throw_cancelled(const Wait& wait, Lock& lock) {
  RankState& me = ranks_[static_cast<std::size_t>(wait.rank.index)];
  if (!me.cancelled_in) me.cancelled_in = wait;
  lock.unlock();
  throw Cancelled{};
}

}  // namespace shardproof::world
