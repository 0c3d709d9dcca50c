#include "subject/process/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>

#include "shardproof/subject/supervisor.h"
#include "subject/process/spawn.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX leaves it to the user

namespace shardproof {
namespace {

constexpr std::size_t kPiece = 1U << 16;
constexpr int kPiecesAtOnce = 16;
/// What is kept of stderr, in bytes: at most twice as much.
constexpr std::size_t kErrorsKept = 1U << 15;

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

struct Ends {
  Descriptor ours;
  Descriptor theirs;
};

Ends socket_pair() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) fail("socketpair");
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

Ends pipe_to_them() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) fail("pipe");
  return {Descriptor(ends[1]), Descriptor(ends[0])};
}

Ends pipe_from_them() {
  Ends ends = pipe_to_them();
  std::swap(ends.ours, ends.theirs);
  return ends;
}

/// Only our end: theirs is a description of its own, which a program expects to block.
void never_block(const Descriptor& ours) {
  fcntl(ours.get(), F_SETFL, fcntl(ours.get(), F_GETFL) | O_NONBLOCK);
}

std::vector<std::string> environment_with(
    const std::vector<std::pair<std::string, std::string>>& added) {
  std::vector<std::string> all;
  for (const auto& [key, value] : added) all.push_back(key + '=' + value);
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const bool replaced = std::any_of(added.begin(), added.end(), [&](const auto& one) {
      return text.starts_with(one.first + '=');
    });
    if (!replaced) all.emplace_back(text);
  }
  return all;
}

/// A pipe that nobody reads any more answers with a signal, which belongs to whoever runs this
/// process; here the error number is enough.
ssize_t write_without_signal(int to, const char* bytes, std::size_t count) {
  sigset_t broken_pipe;
  sigset_t before;
  sigset_t pending;
  sigemptyset(&broken_pipe);
  sigaddset(&broken_pipe, SIGPIPE);
  sigpending(&pending);
  pthread_sigmask(SIG_BLOCK, &broken_pipe, &before);
  const ssize_t written = write(to, bytes, count);
  const int error = errno;
  if (written < 0 && error == EPIPE && sigismember(&pending, SIGPIPE) == 0) {
    constexpr timespec kAtOnce{};
    sigtimedwait(&broken_pipe, nullptr, &kAtOnce);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return written;
}

int milliseconds_until(Process::Clock::time_point deadline) {
  const auto left = deadline - Process::Clock::now();
  if (left <= left.zero()) return 0;
  const auto rounded = std::chrono::ceil<std::chrono::milliseconds>(left).count();
  return static_cast<int>(std::min<std::int64_t>(rounded, 1'000'000'000));
}

}  // namespace

Process::Process(const Launcher& launcher, const Command& command)
    : over_channel_(command.over_channel) {
  Ends control = socket_pair();
  Ends errors = pipe_from_them();
  Ends input;
  Ends output;
  if (over_channel_) {
    output = socket_pair();
  } else {
    input = pipe_to_them();
    output = pipe_from_them();
  }
  Descriptor nothing(open("/dev/null", O_RDWR | O_CLOEXEC));
  Spawn what{
      .arguments = {launcher.program, std::string(kSupervise), std::to_string(launcher.memory)},
      .environment = environment_with(command.environment),
      .descriptors = {}};
  what.arguments.insert(what.arguments.end(), command.arguments.begin(), command.arguments.end());
  what.descriptors = over_channel_
                         ? std::vector{nothing.get(), errors.theirs.get(), errors.theirs.get(),
                                       control.theirs.get(), output.theirs.get()}
                         : std::vector{input.theirs.get(), output.theirs.get(), errors.theirs.get(),
                                       control.theirs.get()};
  supervisor_ = spawn(what);
  control_ = std::move(control.ours);
  in_ = std::move(input.ours);
  out_ = std::move(output.ours);
  err_ = std::move(errors.ours);
  for (const Descriptor* each : {&control_, &in_, &out_, &err_}) {
    if (each->is_open()) never_block(*each);
  }
}

Process::~Process() { kill(); }

bool Process::send_output() {
  const Descriptor& to = over_channel_ ? out_ : in_;
  if (sent_ == outgoing_.size() || !to.is_open()) return false;
  const std::size_t left = outgoing_.size() - sent_;
  const ssize_t count = over_channel_
                            ? ::send(to.get(), outgoing_.data() + sent_, left, MSG_NOSIGNAL)
                            : write_without_signal(to.get(), outgoing_.data() + sent_, left);
  if (count < 0) {
    if (errno == EAGAIN || errno == EINTR) return false;
    // It no longer reads: what it answers, or how it ends, says more than this.
    sent_ = outgoing_.size();
    in_.reset();
  } else {
    sent_ += static_cast<std::size_t>(count);
  }
  if (sent_ == outgoing_.size()) {
    outgoing_.clear();
    sent_ = 0;
    if (input_ends_) close_input();
  }
  return count > 0;
}

bool Process::receive_input() {
  if (closed_) return false;
  const std::size_t before = incoming_.size();
  incoming_.resize(before + kPiece);
  const ssize_t count = read(out_.get(), incoming_.data() + before, kPiece);
  incoming_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) closed_ = true;
  return count > 0;
}

void Process::receive_errors() {
  // Not for good: it may write faster than this reads.
  for (int piece = 0; piece < kPiecesAtOnce && err_.is_open(); ++piece) {
    const std::size_t before = errors_.size();
    errors_.resize(before + kPiece);
    const ssize_t count = read(err_.get(), errors_.data() + before, kPiece);
    errors_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (errors_.size() > 2 * kErrorsKept) errors_.erase(0, errors_.size() - kErrorsKept);
    if (count > 0) continue;
    if (count == 0 || errno != EAGAIN) err_.reset();
    return;
  }
}

Process::Turn Process::pump(Clock::time_point deadline, int also) {
  const bool sent = send_output();
  if (receive_input() || sent) return Turn::moved;
  while (true) {
    if (closed_) return Turn::closed;
    if (Clock::now() >= deadline) return Turn::out_of_time;
    const Descriptor& to = over_channel_ ? out_ : in_;
    const bool more = sent_ != outgoing_.size() && to.is_open();
    const auto reads = static_cast<short>(POLLIN | (over_channel_ && more ? POLLOUT : 0));
    std::array<pollfd, 4> waits{{{out_.get(), reads, 0},
                                 {err_.is_open() ? err_.get() : -1, POLLIN, 0},
                                 {more && !over_channel_ ? in_.get() : -1, POLLOUT, 0},
                                 {also, POLLIN, 0}}};
    const int ready = poll(waits.data(), waits.size(), milliseconds_until(deadline));
    if (ready == 0) return Turn::out_of_time;
    if (ready < 0 && errno != EINTR) fail("poll");
    if (waits[1].revents != 0) receive_errors();
    if (waits[3].revents != 0) return Turn::moved;
    const bool progress = send_output();
    if (receive_input() || progress) return Turn::moved;
  }
}

const std::string& Process::errors() {
  receive_errors();
  return errors_;
}

void Process::close_input() {
  input_ends_ = true;
  if (sent_ != outgoing_.size()) return;
  if (over_channel_) {
    shutdown(out_.get(), SHUT_WR);
  } else {
    in_.reset();
  }
}

const std::optional<ProcessEnd>& Process::end() {
  if (end_) return end_;
  ProcessEnd said;
  const ssize_t count = recv(control_.get(), &said, sizeof said, 0);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return end_;
  end_ = count == static_cast<ssize_t>(sizeof said) ? said : ProcessEnd{};
  return end_;
}

ProcessEnd Process::await_report() {
  while (!end()) {
    std::array<pollfd, 2> waits{
        {{control_.get(), POLLIN, 0}, {err_.is_open() ? err_.get() : -1, POLLIN, 0}}};
    poll(waits.data(), waits.size(), -1);
    receive_errors();
  }
  if (supervisor_ > 0) {
    while (waitpid(supervisor_, nullptr, 0) < 0 && errno == EINTR) {
    }
    supervisor_ = -1;
  }
  return *end_;
}

ProcessEnd Process::finish(Clock::time_point deadline) {
  while (!end()) {
    std::array<pollfd, 3> waits{{{control_.get(), POLLIN, 0},
                                 {err_.is_open() ? err_.get() : -1, POLLIN, 0},
                                 {out_.is_open() && !closed_ ? out_.get() : -1, POLLIN, 0}}};
    const int ready = poll(waits.data(), waits.size(), milliseconds_until(deadline));
    receive_errors();
    if (waits[2].revents != 0) receive_input();
    if (ready == 0) return kill();
  }
  return await_report();
}

ProcessEnd Process::kill() {
  shutdown(control_.get(), SHUT_WR);
  return await_report();
}

}  // namespace shardproof
