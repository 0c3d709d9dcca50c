#include "shardproof/subject/supervisor.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "subject/process/descendants.h"
#include "subject/process/descriptors.h"
#include "subject/process/process_end.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX leaves it to the user

namespace shardproof {
namespace {

/// How often memory is looked at.
constexpr int kMemoryPollMilliseconds = 50;
constexpr std::uint64_t kMebibyte = 1U << 20;

/// Only the harness ends a supervisor: the subject may send its parent any signal.
int block_signals() {
  sigset_t blocked;
  sigemptyset(&blocked);
  for (const int signal :
       {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGUSR1, SIGUSR2, SIGALRM, SIGQUIT, SIGTSTP}) {
    sigaddset(&blocked, signal);
  }
  sigprocmask(SIG_BLOCK, &blocked, nullptr);
  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  return signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
}

/// Starts the command in a session of its own, with the data channel as descriptor 3.
/// \return an error number, or 0
int start(char** command, pid_t& child) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (fcntl(kChannelOfSupervisor, F_GETFD) != -1) {
    posix_spawn_file_actions_adddup2(&actions, kChannelOfSupervisor, kChannelOfChild);
    posix_spawn_file_actions_addclose(&actions, kChannelOfSupervisor);
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
  const int error = posix_spawnp(&child, command[0], &actions, &attributes, command, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

/// The pipes must end when the command does, and not when its supervisor does.
void let_go_of_its_streams() {
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int stream : {0, 1, 2}) dup2(nothing, stream);
  close(nothing);
  close(kChannelOfSupervisor);
}

ProcessEnd end_of(int status) {
  if (WIFSIGNALED(status)) return {ProcessEnd::How::signalled, WTERMSIG(status)};
  return {ProcessEnd::How::exited, WEXITSTATUS(status)};
}

/// Reaps whatever has ended; what is said of the command itself, where it is among them.
std::optional<ProcessEnd> reaped(pid_t child) {
  std::optional<ProcessEnd> end;
  int status = 0;
  while (const pid_t process = waitpid(-1, &status, WNOHANG)) {
    if (process < 0) break;
    if (process == child) end = end_of(status);
  }
  return end;
}

/// Waits for the end of the command, or brings it about.
ProcessEnd watch(pid_t child, int children, std::uint64_t mebibytes) {
  std::array<pollfd, 2> waits{{{kControl, POLLIN, 0}, {children, POLLIN, 0}}};
  while (true) {
    const int ready =
        poll(waits.data(), waits.size(), mebibytes == 0 ? -1 : kMemoryPollMilliseconds);
    if (ready < 0 && errno != EINTR) return {};
    signalfd_siginfo ignored;
    while (read(children, &ignored, sizeof ignored) > 0) {
    }
    if (const auto end = reaped(child)) return *end;
    // Whatever comes this way means the same: the harness lets go, or is gone.
    if (waits[0].revents != 0) return {ProcessEnd::How::signalled, SIGKILL};
    if (mebibytes != 0 && resident_bytes(descendants()) > mebibytes * kMebibyte) {
      return {ProcessEnd::How::out_of_memory, static_cast<std::int32_t>(mebibytes)};
    }
  }
}

/// The harness removes it itself, unless it is killed.
void remove_socket() {
  const char* const path = std::getenv("SHARDPROOF_SOCKET");
  if (path == nullptr) return;
  const std::string_view text = path;
  const std::size_t slash = text.rfind('/');
  if (unlink(path) != 0 || slash == std::string_view::npos) return;
  rmdir(std::string(text.substr(0, slash)).c_str());
}

void report(const ProcessEnd& end) { send(kControl, &end, sizeof end, MSG_NOSIGNAL); }

}  // namespace

int supervise(int count, char** arguments) {
  constexpr int kCommand = 3;
  if (count <= kCommand || fcntl(kControl, F_SETFD, FD_CLOEXEC) == -1) return 1;
  const std::uint64_t mebibytes = std::strtoull(arguments[2], nullptr, 10);
  const int children = block_signals();
  // What the command leaves behind comes to this process instead of to init.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  pid_t child = 0;
  if (const int error = start(arguments + kCommand, child)) {
    report({ProcessEnd::How::not_started, error});
    return 1;
  }
  let_go_of_its_streams();
  const ProcessEnd end = watch(child, children, mebibytes);
  kill_descendants();
  remove_socket();
  report(end);
  return 0;
}

}  // namespace shardproof
