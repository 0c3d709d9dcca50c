#include "subject/process/process_end.h"

#include <cstring>
#include <system_error>

namespace shardproof {

std::string signal_name(int signal) {
  const char* name = sigabbrev_np(signal);
  return name == nullptr ? "signal " + std::to_string(signal) : "SIG" + std::string(name);
}

std::string describe(const ProcessEnd& end) {
  switch (end.how) {
    case ProcessEnd::How::exited:
      return "exited with status " + std::to_string(end.code);
    case ProcessEnd::How::signalled:
      return "was killed by " + signal_name(end.code);
    case ProcessEnd::How::out_of_memory:
      return "took more than " + std::to_string(end.code) + " MiB of memory";
    case ProcessEnd::How::not_started:
      return "could not be started: " + std::generic_category().message(end.code);
    case ProcessEnd::How::lost:
      return "was lost: its supervisor was killed";
  }
  return "ended";
}

}  // namespace shardproof
