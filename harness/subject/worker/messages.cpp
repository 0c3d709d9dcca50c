#include "subject/worker/messages.h"

#include <utility>

#include "subject/worker/case_wire.h"
#include "subject/worker/outcome_wire.h"
#include "subject/worker/wire.h"

namespace shardproof {
namespace {

/// What a message from the harness is.
enum class Message : std::uint8_t { claim, task };

/// No result of a valid case comes near.
constexpr std::uint64_t kLongest = std::uint64_t{1} << 34;

}  // namespace

std::string frame(std::string_view payload) {
  WireWriter out;
  out.text(payload);
  return std::move(out.bytes());
}

std::optional<std::string> take_frame(std::string& bytes) {
  std::uint64_t length = 0;
  if (bytes.size() < sizeof length) return std::nullopt;
  std::memcpy(&length, bytes.data(), sizeof length);
  if (length > kLongest) throw WireError("a frame of " + std::to_string(length) + " bytes");
  if (bytes.size() - sizeof length < length) return std::nullopt;
  std::string payload = bytes.substr(sizeof length, length);
  bytes.erase(0, sizeof length + length);
  return payload;
}

std::string to_bytes(const WorkerHello& hello) {
  WireWriter out;
  out.text(hello.failure);
  out.text(hello.name);
  out.value(hello.kind);
  out.text(hello.claim);
  return std::move(out.bytes());
}

WorkerHello hello_of(std::string_view bytes) {
  WireReader in(bytes);
  WorkerHello hello;
  hello.failure = in.text();
  hello.name = in.text();
  hello.kind = in.value<std::int32_t>();
  hello.claim = in.text();
  in.end();
  return hello;
}

std::string to_bytes(const WorkerTask& task) {
  WireWriter out;
  out.value(Message::task);
  out.value(static_cast<std::int64_t>(task.timeout.count()));
  write_case(out, task.problem);
  return std::move(out.bytes());
}

std::string claim_message(std::string_view claim) {
  WireWriter out;
  out.value(Message::claim);
  out.text(claim);
  return std::move(out.bytes());
}

std::optional<std::string> claim_in(std::string_view bytes) {
  WireReader in(bytes);
  if (in.value<Message>() != Message::claim) return std::nullopt;
  return in.text();
}

WorkerTask task_in(std::string_view bytes) {
  WireReader in(bytes);
  if (in.value<Message>() != Message::task) throw WireError("a message of no kind");
  WorkerTask task;
  task.timeout = std::chrono::nanoseconds(in.value<std::int64_t>());
  task.problem = read_case(in);
  in.end();
  return task;
}

std::string to_bytes(const Outcome& outcome) {
  WireWriter out;
  write_outcome(out, outcome);
  return std::move(out.bytes());
}

Outcome outcome_of(std::string_view bytes, const SharedShape& shape) {
  WireReader in(bytes);
  Outcome outcome = read_outcome(in, shape);
  in.end();
  return outcome;
}

}  // namespace shardproof
