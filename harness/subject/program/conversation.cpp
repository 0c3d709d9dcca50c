#include "subject/program/conversation.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <chrono>

namespace shardproof {
namespace {

/// How long a program that is told to end may take, and how often one without a stdout is asked
/// whether it has ended.
constexpr auto kFarewell = std::chrono::seconds(5);
constexpr auto kSlice = std::chrono::milliseconds(20);
constexpr std::size_t kNoiseKept = 1U << 13;

Command command_of(const ProgramOptions& options, const SocketServer& sockets) {
  return {.arguments = options.command,
          .environment = {{"SHARDPROOF_SOCKET", sockets.path()}},
          .over_channel = false};
}

}  // namespace

Conversation::Conversation(const ProgramOptions& options)
    : sockets_(std::make_unique<SocketServer>(options.directory)),
      process_(options.launcher, command_of(options, *sockets_)) {
  await_hello(options);
}

Conversation::~Conversation() {
  sockets_.reset();
  process_.close_input();
  process_.finish(Clock::now() + kFarewell);
}

std::string& Conversation::received(Party& party) {
  return party.connection == nullptr ? process_.received() : party.connection->received();
}

void Conversation::send(std::size_t party, std::string_view line) {
  if (Connection* const connection = parties_[party].connection) {
    connection->send(line);
  } else {
    process_.send(line);
  }
}

bool Conversation::pump(Clock::time_point deadline) {
  if (sockets_ == nullptr) {
    const Process::Turn turn = process_.pump(deadline);
    stdout_closed_ = turn == Process::Turn::closed;
    return turn != Process::Turn::out_of_time;
  }
  if (stdout_closed_) {
    // Whether the program has ended is asked for now and then.
    const auto left = std::min<Clock::duration>(kSlice, deadline - Clock::now());
    if (left <= left.zero()) return false;
    std::array<pollfd, 1> waits{{{sockets_->readiness(), POLLIN, 0}}};
    poll(waits.data(), waits.size(),
         static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(left).count()));
  } else {
    const Process::Turn turn = process_.pump(deadline, sockets_->readiness());
    stdout_closed_ = turn == Process::Turn::closed;
    if (turn == Process::Turn::out_of_time) return false;
  }
  sockets_->turn();
  if (!parties_.empty() && parties_.front().connection != nullptr) keep_noise();
  return true;
}

void Conversation::keep_noise() {
  noise_ += process_.received();
  process_.received().clear();
  stdout_lines_.forget();
  if (noise_.size() > 2 * kNoiseKept) noise_.erase(0, noise_.size() - kNoiseKept);
}

std::optional<std::string> Conversation::take_line(std::size_t party) {
  Party& from = parties_[party];
  return from.lines.take(received(from));
}

const std::string& Conversation::rest(std::size_t party) { return received(parties_[party]); }

bool Conversation::closed(std::size_t party) const {
  const Connection* const connection = parties_[party].connection;
  return connection == nullptr ? stdout_closed_ : connection->closed();
}

std::string Conversation::log() {
  std::string log = process_.errors();
  if (!noise_.empty()) {
    if (!log.empty() && !log.ends_with('\n')) log += '\n';
    log += noise_;
  }
  return log;
}

void Conversation::forget_log() {
  // What has come but was not read yet is of the past as well.
  static_cast<void>(process_.errors());
  process_.forget_errors();
  noise_.clear();
}

}  // namespace shardproof
