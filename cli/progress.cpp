#include "progress.h"

#include <unistd.h>

#include <cstdio>

namespace shardproof::cli {

Progress::Progress(bool quiet) : on_(!quiet && isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() { clear(); }

void Progress::show(int cases, int of, int executions) {
  constexpr auto kPause = std::chrono::milliseconds(100);
  if (!on_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < kPause) return;
  last_ = now;
  shown_ = true;
  std::fprintf(stderr, "\r%d of %d cases, %d executions\x1b[K", cases, of, executions);
}

void Progress::clear() {
  if (shown_) std::fputs("\r\x1b[K", stderr);
  shown_ = false;
}

}  // namespace shardproof::cli
