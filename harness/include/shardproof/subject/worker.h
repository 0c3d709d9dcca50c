#pragma once

#include <string_view>

namespace shardproof {

/// The first argument by which a program becomes a worker.
inline constexpr std::string_view kWork = "--worker";

/// Executes a plug-in for a harness in another process, and nothing else: `PROGRAM --worker
/// LIBRARY` with a channel as descriptor 3, as `library_subject` starts it. Returns when the
/// channel ends.
int work(int count, char** arguments);

}  // namespace shardproof
