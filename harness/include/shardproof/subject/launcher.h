#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace shardproof {

/// A subject that could not be started; one line says why.
class StartError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// How subjects outside of this process are started.
struct Launcher {
  /// The shardproof program, which is started as their supervisor and as a worker.
  std::string program = "/proc/self/exe";
  /// What all processes of one subject together may hold, in MiB; 0: no limit.
  std::uint64_t memory = 4096;
};

}  // namespace shardproof
