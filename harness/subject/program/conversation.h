#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shardproof/subject/program.h"
#include "subject/process/process.h"
#include "subject/program/hello.h"
#include "subject/program/lines.h"
#include "subject/program/socket_server.h"

namespace shardproof {

/// A running program that has said hello, on its stdin and stdout or over sockets.
class Conversation {
 public:
  using Clock = Process::Clock;

  /// \throws StartError, std::system_error
  explicit Conversation(const ProgramOptions& options);
  /// Ends the input of the program and gives it a moment to end by itself.
  ~Conversation();
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  /// Who answers: one party, or one for each connection. All of them say the same kind and claim.
  [[nodiscard]] std::size_t parties() const { return parties_.size(); }
  [[nodiscard]] const Hello& hello(std::size_t party) const { return parties_[party].hello; }
  /// How many ranks have connected; 0: the program takes any number.
  [[nodiscard]] int world() const { return parties_.front().hello.world; }

  void send(std::size_t party, std::string_view line);
  /// Moves everything on, waiting until something has moved. \return false once time is over
  bool pump(Clock::time_point deadline);
  /// The party's next whole line.
  std::optional<std::string> take_line(std::size_t party);
  /// What the party has sent beyond its last whole line that was taken.
  [[nodiscard]] const std::string& rest(std::size_t party);
  /// Nothing more comes from it.
  [[nodiscard]] bool closed(std::size_t party) const;

  [[nodiscard]] Process& process() { return process_; }
  /// The last of what the program has printed since `forget_log`.
  [[nodiscard]] std::string log();
  void forget_log();

 private:
  struct Party {
    Connection* connection = nullptr;  ///< null: stdin and stdout
    Hello hello{};
    Lines lines{};
  };

  void await_hello(const ProgramOptions& options);
  bool take_hellos();
  bool take_hello_on_stdout();
  bool take_hellos_on_sockets();
  [[nodiscard]] bool complete() const;
  void keep_noise();
  [[noreturn]] void give_up(const std::string& why);
  std::string& received(Party& party);

  std::unique_ptr<SocketServer> sockets_;
  Process process_;
  bool stdout_closed_ = false;
  std::vector<Party> parties_;
  Lines stdout_lines_;
  std::string noise_;  ///< the last of what stdout said beside the protocol
};

}  // namespace shardproof
