#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shardproof {

inline constexpr int kProtocolVersion = 1;

/// How a program takes a case.
enum class ProgramKind {
  reducer,      ///< contributions of every rank; each rank's result comes back
  all_at_once,  ///< the same; one result comes back, which every rank is taken to hold
  train_step,   ///< rows and parameters
};

/// What a program says of itself before the first case.
struct Hello {
  ProgramKind kind = ProgramKind::reducer;
  std::string claim{};       ///< settings
  std::vector<int> ranks{};  ///< that it answers for; empty: for all, however many there are
  int world = 0;             ///< how many there are; 0 where `ranks` is empty
};

/// The harness's own, with the end of the line.
std::string hello_message();

/// \throws InputError  when the line is none, without a place
Hello parse_hello(std::string_view line);

}  // namespace shardproof
