#pragma once

#include <chrono>

namespace shardproof::cli {

/// A line on stderr that is written over, only where stderr is a terminal.
class Progress {
 public:
  explicit Progress(bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(int cases, int of, int executions);
  void clear();

 private:
  bool shown_ = false;
  bool on_;
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace shardproof::cli
