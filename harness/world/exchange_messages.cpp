#include <algorithm>
#include <stdexcept>
#include <utility>

#include "world/exchange.h"

namespace shardproof::world {
namespace {

/// A rank that only sends would otherwise fill the memory before its time runs out.
constexpr std::size_t kMostUnreadBytes = std::size_t{1} << 30;
/// Buffers that a rank keeps for its next messages; the rest is freed.
constexpr std::size_t kMostSpareBuffers = 256;

}  // namespace

void Exchange::Queue::push(Buffer message) {
  if (count == ring.size()) {
    std::vector<Buffer> larger(std::max<std::size_t>(4, 2 * ring.size()));
    for (std::size_t i = 0; i < count; ++i) {
      larger[i] = std::move(ring[(head + i) & (ring.size() - 1)]);
    }
    ring = std::move(larger);
    head = 0;
  }
  ring[(head + count++) & (ring.size() - 1)] = std::move(message);
}

Exchange::Buffer Exchange::Queue::pop() {
  Buffer message = std::move(ring[head]);
  head = (head + 1) & (ring.size() - 1);
  --count;
  return message;
}

void Exchange::send(int rank, int to, std::span<const std::byte> bytes) {
  check_peer(rank, "send to", to);
  RankState& me = ranks_[static_cast<std::size_t>(rank)];
  Buffer message;
  if (!me.spare.empty()) {
    message = std::move(me.spare.back());
    me.spare.pop_back();
  }
  message.assign(bytes.begin(), bytes.end());

  Lock lock(lock_);
  if (!enter(rank, lock)) throw_cancelled(waiting(rank, Wait::For::message, to), lock);
  RankState& receiver = ranks_[static_cast<std::size_t>(to)];
  if (receiver.status == Status::waiting && receiver.wait.what == Wait::For::message &&
      receiver.wait.peer.index == rank) {
    receiver.handed = std::move(message);
    Parked parked = 0;
    release(to, false, parked);
    lock.unlock();
    unpark(parked);
    return;
  }
  if (bytes.size() > kMostUnreadBytes - unread_bytes_) {
    lock.unlock();
    throw std::length_error("rank " + std::to_string(rank) + ": more than " +
                            std::to_string(kMostUnreadBytes) + " bytes of messages are unread");
  }
  unread_bytes_ += bytes.size();
  queue(rank, to).push(std::move(message));
}

void Exchange::receive(int rank, int from, std::span<std::byte> bytes) {
  check_peer(rank, "receive from", from);
  RankState& me = ranks_[static_cast<std::size_t>(rank)];
  Buffer message;
  Lock lock(lock_);
  if (!enter(rank, lock)) throw_cancelled(waiting(rank, Wait::For::message, from), lock);
  Queue& incoming = queue(from, rank);
  if (incoming.count > 0) {
    message = incoming.pop();
    unread_bytes_ -= message.size();
    lock.unlock();
  } else {
    if (!wait(rank, Wait::For::message, from, lock)) throw Cancelled{};
    message = std::move(me.handed);
  }
  if (message.size() != bytes.size()) {
    throw std::invalid_argument("rank " + std::to_string(rank) + " receives " +
                                std::to_string(bytes.size()) + " bytes from rank " +
                                std::to_string(from) + ", whose message has " +
                                std::to_string(message.size()));
  }
  std::copy(message.begin(), message.end(), bytes.begin());
  if (me.spare.size() < kMostSpareBuffers) me.spare.push_back(std::move(message));
}

Exchange::Queue& Exchange::queue(int from, int to) {
  Queue& queue = queues_[static_cast<std::size_t>(from * queue_side_ + to)];
  if (queue.trial != trial_) {
    queue.trial = trial_;
    queue.count = 0;
  }
  return queue;
}

}  // namespace shardproof::world
