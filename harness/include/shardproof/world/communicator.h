#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "shardproof/case/types.h"

namespace shardproof {

/// Thrown out of a waiting communicator call when the trial has ended (a deadlock was found, the
/// time ran out). Not derived from std::exception, so that a subject's own handlers let it pass.
struct Cancelled {};

/// Thrown by a reducer that declines a case on purpose, such as a step without any valid row.
class Decline : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What one rank uses to talk to the others. Called from that rank's thread only.
///
/// Every wait is cancellable. Sends are buffered and never wait; messages between two ranks arrive
/// in order. A wrong peer or a message of another size throws std::invalid_argument.
class Communicator {
 public:
  virtual ~Communicator() = default;

  [[nodiscard]] virtual Rank rank() const = 0;
  [[nodiscard]] virtual WorldSize world_size() const = 0;

  /// Returns once every rank of the world has called it as often.
  virtual void barrier() = 0;

  /// Sends to `to` (itself included) / receives the next message from `from`, of exactly that
  /// length.
  template <class T>
  void send(Rank to, std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    send_bytes(to, std::as_bytes(values));
  }
  template <class T>
  void receive(Rank from, std::span<T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    receive_bytes(from, std::as_writable_bytes(values));
  }

  /// Shows `values` to all ranks: after the next barrier they may read them through `slot`, until
  /// the barrier after that. The values are copied at once: no rank can come to read memory that
  /// another has freed because it failed, and publishing again needs no barrier before it. A rank
  /// that published nothing has an empty slot.
  template <class T>
  void publish(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    publish_bytes(std::as_bytes(values));
  }
  template <class T>
  [[nodiscard]] std::span<const T> slot(Rank of) const {
    const std::span<const std::byte> bytes = slot_bytes(of);
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }

  /// Everybody's values, rank by rank. \pre every rank hands in equally many
  template <class T>
  [[nodiscard]] std::vector<T> all_gather(std::span<const T> mine) {
    publish(mine);
    barrier();
    std::vector<T> all;
    all.reserve(mine.size() * static_cast<std::size_t>(world_size().value));
    for (int r = 0; r < world_size().value; ++r) {
      const std::span<const T> theirs = slot<T>(Rank{r});
      all.insert(all.end(), theirs.begin(), theirs.end());
    }
    return all;
  }

 protected:
  virtual void send_bytes(Rank to, std::span<const std::byte> bytes) = 0;
  virtual void receive_bytes(Rank from, std::span<std::byte> bytes) = 0;
  virtual void publish_bytes(std::span<const std::byte> bytes) = 0;
  [[nodiscard]] virtual std::span<const std::byte> slot_bytes(Rank of) const = 0;
};

}  // namespace shardproof
