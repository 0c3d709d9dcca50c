#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shardproof/subject/launcher.h"
#include "subject/process/descriptors.h"
#include "subject/process/process_end.h"

namespace shardproof {

struct Command {
  std::vector<std::string> arguments;  ///< the program first; looked for in PATH
  std::vector<std::pair<std::string, std::string>> environment{};  ///< beside the harness's own
  /// Talk over a socket, its descriptor 3, instead of its stdin and stdout; what it prints on
  /// stdout then goes where its errors go.
  bool over_channel = false;
};

/// A command that runs beside the harness under a supervisor, and a conversation with it.
///
/// Neither side can block the other: what is to be sent is queued, what has come is kept, and one
/// call moves both on. The destructor kills the command and all that has come from it.
class Process {
 public:
  using Clock = std::chrono::steady_clock;

  /// \throws std::system_error  when the supervisor cannot be started; whether the command could is
  ///                            only known when it has answered or ended
  Process(const Launcher& launcher, const Command& command);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// What happened in a call of `pump`.
  enum class Turn {
    moved,        ///< something was sent or has come
    closed,       ///< it has closed its side; what it had sent before has come
    out_of_time,  ///< the deadline has passed
  };

  /// Appends to what is to be sent.
  void send(std::string_view bytes) { outgoing_.append(bytes); }
  /// Sends and receives what is possible at once; where nothing is, waits for the first that is.
  /// It may move forever: who has what it waits for, or too much, or no time left, stops calling.
  /// `also` is a descriptor whose becoming readable counts as `moved` as well.
  Turn pump(Clock::time_point deadline, int also = -1);

  /// What has come and was not taken yet; the caller takes from its front.
  [[nodiscard]] std::string& received() { return incoming_; }
  /// The last of what it wrote to stderr.
  [[nodiscard]] const std::string& errors();
  void forget_errors() { errors_.clear(); }

  /// Nothing more is sent; it sees the end of its input once everything queued has been.
  void close_input();
  /// How it ended, where it has.
  [[nodiscard]] const std::optional<ProcessEnd>& end();
  /// Gives it until `deadline` to end by itself, then kills it and all that has come from it.
  ProcessEnd finish(Clock::time_point deadline);
  /// Kills it and all that has come from it.
  ProcessEnd kill();

 private:
  void receive_errors();
  bool receive_input();
  bool send_output();
  ProcessEnd await_report();

  pid_t supervisor_ = -1;
  Descriptor control_;
  Descriptor in_;   // to it; with a channel: the same as out_
  Descriptor out_;  // from it
  Descriptor err_;
  bool over_channel_ = false;
  bool input_ends_ = false;
  bool closed_ = false;
  std::string outgoing_;
  std::size_t sent_ = 0;
  std::string incoming_;
  std::string errors_;
  std::optional<ProcessEnd> end_;
};

}  // namespace shardproof
