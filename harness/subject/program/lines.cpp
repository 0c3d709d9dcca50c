#include "subject/program/lines.h"

#include "case/json_text.h"

namespace shardproof {
namespace {

constexpr std::size_t kShown = 60;
constexpr std::size_t kShownOfLast = 300;

std::string quoted(std::string_view text, std::size_t most) {
  if (text.size() <= most) return json_string(as_utf8(text));
  std::size_t end = most;
  // Not within a character.
  while (end > most - 4 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return json_string(as_utf8(text.substr(0, end)) + "...");
}

}  // namespace

std::optional<std::string> Lines::take(std::string& received) {
  const std::size_t end = received.find('\n', searched_);
  if (end == std::string::npos) {
    searched_ = received.size();
    return std::nullopt;
  }
  std::string line = received.substr(0, end);
  received.erase(0, end + 1);
  searched_ = 0;
  return line;
}

std::string beginning_of(std::string_view text) { return quoted(text, kShown); }

std::string last_line_of(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  if (last == std::string_view::npos) return "";
  text = text.substr(0, last + 1);
  const std::size_t before = text.rfind('\n');
  if (before != std::string_view::npos) text.remove_prefix(before + 1);
  return quoted(text, kShownOfLast);
}

}  // namespace shardproof
