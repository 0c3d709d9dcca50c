#pragma once

#include <cstdint>
#include <string>

namespace shardproof {

/// How subjects outside of this process are started.
struct Launcher {
  /// The shardproof program, which is started as their supervisor and as a worker.
  std::string program = "/proc/self/exe";
  /// What all processes of one subject together may hold, in MiB; 0: no limit.
  std::uint64_t memory = 4096;
};

}  // namespace shardproof
