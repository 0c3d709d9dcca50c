#pragma once

#include <unistd.h>

#include <utility>

namespace shardproof {

/// Descriptors that a supervisor is started with beside the three standard ones, which are meant
/// for its command.
inline constexpr int kControl = 3;              ///< to the harness; closed on either side: the end
inline constexpr int kChannelOfSupervisor = 4;  ///< where the command gets one
/// The same channel as the command sees it.
inline constexpr int kChannelOfChild = 3;

/// Owns a file descriptor.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { reset(); }

  void reset() {
    if (number_ >= 0) close(number_);
    number_ = -1;
  }
  [[nodiscard]] int get() const { return number_; }
  [[nodiscard]] bool is_open() const { return number_ >= 0; }

 private:
  int number_ = -1;
};

}  // namespace shardproof
