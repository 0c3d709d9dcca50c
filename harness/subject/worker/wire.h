#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace shardproof {

/// Values behind each other in the bytes of this machine: the harness and its worker are the same
/// program. What a worker sends is not trusted all the same: its plug-in may have written anywhere.
class WireWriter {
 public:
  template <class T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void value(T value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void text(std::string_view text) {
    value(static_cast<std::uint64_t>(text.size()));
    bytes_.append(text);
  }
  template <class T>
  void values(std::span<const T> values) {
    static_assert(std::is_arithmetic_v<T>);
    value(static_cast<std::uint64_t>(values.size()));
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  }
  [[nodiscard]] std::string& bytes() { return bytes_; }

 private:
  std::string bytes_;
};

/// What was read is not what a writer wrote.
class WireError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  T value() {
    T found;
    std::memcpy(&found, take(sizeof found).data(), sizeof found);
    return found;
  }
  /// A number of things to follow, each of at least so many bytes.
  std::size_t count(std::size_t least_bytes) {
    const auto number = value<std::uint64_t>();
    if (number > bytes_.size() / least_bytes) throw WireError("a count of more than there is");
    return static_cast<std::size_t>(number);
  }
  std::string text() { return std::string(take(count(1))); }
  template <class T>
  std::vector<T> values() {
    std::vector<T> found(count(sizeof(T)));
    const std::string_view bytes = take(found.size() * sizeof(T));
    if (!found.empty()) std::memcpy(found.data(), bytes.data(), bytes.size());
    return found;
  }
  void end() const {
    if (!bytes_.empty()) throw WireError("more than was expected");
  }

 private:
  std::string_view take(std::size_t count) {
    if (count > bytes_.size()) throw WireError("it ends early");
    const std::string_view taken = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return taken;
  }

  std::string_view bytes_;
};

}  // namespace shardproof
