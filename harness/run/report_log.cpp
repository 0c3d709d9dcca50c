#include "case/one_line.h"
#include "run/report_parts.h"

namespace shardproof {
namespace {

constexpr int kLinesShown = 12;

}  // namespace

std::string log_text(std::string_view log) {
  while (!log.empty() && log.back() == '\n') log.remove_suffix(1);
  std::string out;
  for (int line = 0; line < kLinesShown && !log.empty(); ++line) {
    const std::size_t end = log.rfind('\n');
    const std::string_view last = end == std::string_view::npos ? log : log.substr(end + 1);
    out.insert(0, "| " + one_line(last) + '\n');
    log = end == std::string_view::npos ? std::string_view() : log.substr(0, end);
  }
  return out.empty() ? out : "the end of its stderr:\n" + out;
}

}  // namespace shardproof
