#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace shardproof {

/// A program to start, with the descriptors that it is to get and no others.
struct Spawn {
  std::vector<std::string> arguments;
  std::vector<std::string> environment;  ///< `KEY=VALUE`, all of them
  std::vector<int> descriptors;          ///< which becomes 0, 1, 2, ...; -1: none
};

/// \return its process id. \throws std::system_error
pid_t spawn(const Spawn& what);

}  // namespace shardproof
