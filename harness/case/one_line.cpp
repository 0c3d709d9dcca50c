#include "case/one_line.h"

namespace shardproof {

std::string one_line(std::string_view text) {
  constexpr std::size_t kLongest = 4000;
  std::string line(text.substr(0, kLongest));
  for (char& c : line) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) c = c == '\n' || c == '\r' || c == '\t' ? ' ' : '?';
  }
  if (text.size() > kLongest) line += "...";
  return line;
}

}  // namespace shardproof
