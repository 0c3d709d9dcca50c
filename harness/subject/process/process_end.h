#pragma once

#include <cstdint>
#include <string>

namespace shardproof {

/// How a supervised process ended.
struct ProcessEnd {
  enum class How : std::int32_t {
    exited,         ///< `code` is its exit status
    signalled,      ///< `code` is the signal
    out_of_memory,  ///< ended by its supervisor; `code` is the limit in MiB
    not_started,    ///< `code` is the error number
    lost,           ///< the supervisor itself was killed
  };
  How how = How::lost;
  std::int32_t code = 0;

  friend bool operator==(const ProcessEnd&, const ProcessEnd&) = default;
};

/// `exited with status 3`, `was killed by SIGSEGV`, ...: what follows `the subject`.
std::string describe(const ProcessEnd& end);

/// `SIGSEGV`; `signal 77` where it has no name.
std::string signal_name(int signal);

}  // namespace shardproof
