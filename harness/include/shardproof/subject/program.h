#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "shardproof/subject/launcher.h"
#include "shardproof/subject/subject.h"

namespace shardproof {

/// A program in any language that speaks the protocol of docs/protocol.md: JSON lines on its stdin
/// and stdout or, where it is many processes or prints on stdout, over the socket whose path stands
/// in the variable SHARDPROOF_SOCKET.
struct ProgramOptions {
  std::vector<std::string> command;  ///< the program first; looked for in PATH
  Launcher launcher{};
  /// From its start until it has said hello.
  std::chrono::nanoseconds startup = std::chrono::seconds(60);
  /// So many of the first trials after each start may take as long as the start itself: a program
  /// may compile or open communicators then.
  int warmup = 0;
  std::string claim{};             ///< settings on top of what the program claims; may be empty
  std::string directory = "/tmp";  ///< where the socket's own directory is made
};

/// Starts the program; it lives for all trials. After a trial in which it ended, did not answer in
/// time or answered with what is no answer, it is killed and started anew for the next one.
/// \throws StartError         when it does not say hello
/// \throws InputError         when the claim is none
/// \throws std::system_error  when no process can be started
std::unique_ptr<Subject> program_subject(ProgramOptions options);

}  // namespace shardproof
