#pragma once

#include <string_view>

namespace shardproof {

/// The first argument by which a program becomes a supervisor.
inline constexpr std::string_view kSupervise = "--supervise";

/// Runs a command and sees to it that nothing of it is left over: `PROGRAM --supervise MEMORY
/// COMMAND...`, as `Process` starts it. When the command has ended, when the harness asks for it or
/// is gone itself, in whatever way, every process that has come from the command is killed.
///
/// \param count, arguments  of the whole command line
/// \return the exit status; of no meaning to anybody
int supervise(int count, char** arguments);

}  // namespace shardproof
