#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

namespace shardproof {

/// All processes below this one: children, their children, and so on; those whose parents have died
/// as well where this process adopts them (PR_SET_CHILD_SUBREAPER).
std::vector<pid_t> descendants();

/// Bytes of memory that these processes hold, each counted in full.
std::uint64_t resident_bytes(const std::vector<pid_t>& processes);

/// Kills and reaps every descendant, until there is none.
void kill_descendants();

}  // namespace shardproof
