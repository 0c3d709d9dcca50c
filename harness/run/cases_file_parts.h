#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace shardproof {

inline constexpr std::string_view kBase = "base";
inline constexpr std::string_view kRelated = "related: ";
inline constexpr std::string_view kDiscriminating = "discriminating";

/// 16 hexadecimal digits of a 64-bit hash: against mistakes, not against malice.
std::string digest_of(std::string_view text);

/// Goes through the lines of a file, all of which end.
class FileLines {
 public:
  FileLines(std::string_view text, std::string_view file) : rest_(text), file_(file) {}

  /// \return whether there is another. \throws InputError  when it is cut off
  bool next();
  [[nodiscard]] std::string_view line() const { return line_; }
  /// `cases.jsonl: line 3`
  [[nodiscard]] std::string place() const;
  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
  std::string_view file_;
  std::string_view line_;
  std::size_t number_ = 0;
};

}  // namespace shardproof
