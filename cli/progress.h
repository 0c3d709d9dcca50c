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
  void show_subjects(int done, int of);
  void clear();

 private:
  void show(const char* line);

  bool shown_ = false;
  bool on_;
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace shardproof::cli
