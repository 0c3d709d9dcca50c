#include "progress.h"

#include <unistd.h>

#include <array>
#include <cstdio>

namespace shardproof::cli {

Progress::Progress(bool quiet) : on_(!quiet && isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() { clear(); }

void Progress::show(int cases, int of, int executions) {
  std::array<char, 80> line{};
  std::snprintf(line.data(), line.size(), "%d of %d cases, %d executions", cases, of, executions);
  show(line.data());
}

void Progress::show_subjects(int done, int of) {
  std::array<char, 80> line{};
  std::snprintf(line.data(), line.size(), "%d of %d subjects", done, of);
  show(line.data());
}

void Progress::show(const char* line) {
  constexpr auto kPause = std::chrono::milliseconds(100);
  if (!on_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < kPause) return;
  last_ = now;
  shown_ = true;
  std::fprintf(stderr, "\r%s\x1b[K", line);
}

void Progress::clear() {
  if (shown_) std::fputs("\r\x1b[K", stderr);
  shown_ = false;
}

}  // namespace shardproof::cli
