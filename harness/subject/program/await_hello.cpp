#include <algorithm>
#include <string>

#include "shardproof/case/error.h"
#include "shardproof/subject/launcher.h"
#include "subject/program/conversation.h"

namespace shardproof {
namespace {

/// A program may print so much on stdout before it says hello elsewhere.
constexpr std::size_t kMostNoise = std::size_t{1} << 24;
/// How long a program that has closed its side may take to end.
constexpr auto kToEnd = std::chrono::seconds(2);

std::string seconds(std::chrono::nanoseconds time) {
  std::string text = std::to_string(std::chrono::duration<double>(time).count());
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text + " s";
}

std::string described(const std::vector<int>& ranks) {
  std::string text = ranks.size() == 1 ? "rank" : "ranks";
  for (const int rank : ranks) text += ' ' + std::to_string(rank);
  return text;
}

}  // namespace

void Conversation::await_hello(const ProgramOptions& options) {
  const auto deadline = Clock::now() + options.startup;
  process_.send(hello_message());
  std::size_t greeted = 0;
  while (true) {
    const bool in_time = pump(deadline);
    for (const auto& connections = sockets_->connections(); greeted < connections.size();) {
      connections[greeted++]->send(hello_message());
    }
    if (take_hellos()) break;
    if (noise_.size() > kMostNoise || process_.received().size() > kMostNoise) {
      give_up("prints without end on stdout and does not say hello");
    }
    if (process_.end()) {
      const ProcessEnd end = process_.finish(Clock::now() + kToEnd);
      pump(Clock::now());
      if (take_hellos()) break;
      give_up(end.how == ProcessEnd::How::not_started ? describe(end)
                                                      : describe(end) + " before it said hello");
    }
    if (!in_time) give_up("did not say hello within " + seconds(options.startup));
  }
  sockets_->stop_listening();
  if (parties_.front().connection == nullptr) sockets_.reset();
}

bool Conversation::take_hellos() {
  return take_hellos_on_sockets() || (parties_.empty() && take_hello_on_stdout());
}

bool Conversation::take_hello_on_stdout() {
  while (auto line = stdout_lines_.take(process_.received())) {
    // A banner on stdout is no harm to a program that is going to connect.
    if (!line->starts_with('{')) {
      noise_ += *line + '\n';
      continue;
    }
    try {
      parties_.push_back({.hello = parse_hello(*line)});
    } catch (const InputError& error) {
      give_up(std::string("its hello: ") + error.what() + "; it begins with " +
              beginning_of(*line));
    }
    return true;
  }
  return false;
}

bool Conversation::take_hellos_on_sockets() {
  for (const auto& connection : sockets_->connections()) {
    const bool known =
        std::ranges::find(parties_, connection.get(), &Party::connection) != parties_.end();
    if (known && connection->closed()) give_up("closed a connection before all ranks said hello");
    if (known) continue;
    Party party{.connection = connection.get()};
    const auto line = party.lines.take(connection->received());
    if (!line && connection->closed()) give_up("closed a connection before it said hello");
    if (!line) continue;
    try {
      party.hello = parse_hello(*line);
    } catch (const InputError& error) {
      give_up(std::string("its hello: ") + error.what() + "; it begins with " +
              beginning_of(*line));
    }
    parties_.push_back(std::move(party));
  }
  // Whichever came first: the same program is to be refused in the same words.
  std::ranges::sort(parties_, {}, [](const Party& party) { return party.hello.ranks; });
  return complete();
}

bool Conversation::complete() const {
  if (parties_.empty()) return false;
  const Hello& first = parties_.front().hello;
  std::vector<int> ranks;
  for (const Party& party : parties_) {
    const Hello& hello = party.hello;
    if (hello.kind != first.kind || hello.claim != first.claim || hello.world != first.world) {
      throw StartError("the hello of " + described(hello.ranks) +
                       " differs in kind, claim or world from that of " + described(first.ranks));
    }
    ranks.insert(ranks.end(), hello.ranks.begin(), hello.ranks.end());
  }
  if (first.world == 0 && parties_.size() > 1) {
    throw StartError("two connections answer for all ranks");
  }
  std::ranges::sort(ranks);
  const auto twice = std::ranges::adjacent_find(ranks);
  if (twice != ranks.end()) {
    throw StartError("rank " + std::to_string(*twice) + " said hello twice");
  }
  return ranks.size() == static_cast<std::size_t>(first.world);
}

void Conversation::give_up(const std::string& why) {
  process_.kill();
  std::string text = why;
  const std::string last = last_line_of(process_.errors());
  if (!last.empty()) {
    text += "; the last line of its stderr: " + last;
  } else if (!noise_.empty()) {
    text += "; its stdout begins with " + beginning_of(noise_);
  }
  throw StartError(text);
}

}  // namespace shardproof
