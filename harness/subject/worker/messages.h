#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "shardproof/case/case.h"
#include "shardproof/subject/outcome.h"

namespace shardproof {

/// What harness and worker say to each other, each in a frame: its length in 8 bytes, then this.

/// From the worker: when the subject has been loaded, and when it has been put under a claim.
struct WorkerHello {
  std::string failure;  ///< why it could not be loaded; empty where it was
  std::string name;
  std::int32_t kind = 0;  ///< enum shardproof_kind
  std::string claim;      ///< settings
};

/// From the harness: a trial to execute.
struct WorkerTask {
  std::chrono::nanoseconds timeout{};
  /// For reducers without rows, with the contributions to hand in.
  Case problem;
};

std::string frame(std::string_view payload);
/// Takes the first whole frame from the front of `bytes`, if there is one.
/// \throws WireError  when its length is none that a worker sends
std::optional<std::string> take_frame(std::string& bytes);

std::string to_bytes(const WorkerHello& hello);
/// From the harness: the claim, as settings, under which all later trials are executed.
std::string claim_message(std::string_view claim);
std::string to_bytes(const WorkerTask& task);
/// What came back, without the contributions: the harness knows them.
std::string to_bytes(const Outcome& outcome);

/// \throws WireError
WorkerHello hello_of(std::string_view bytes);
/// Nothing where the message is a task.
std::optional<std::string> claim_in(std::string_view bytes);
WorkerTask task_in(std::string_view bytes);
/// \param shape  of the trees
Outcome outcome_of(std::string_view bytes, const SharedShape& shape);

}  // namespace shardproof
