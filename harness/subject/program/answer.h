#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "shardproof/case/claim.h"
#include "shardproof/subject/outcome.h"
#include "subject/program/hello.h"

namespace shardproof {

/// What an answer has to fit.
struct Question {
  std::uint64_t id = 0;
  ProgramKind kind = ProgramKind::reducer;
  SharedShape shape;
  Dtype result = Dtype::f32;      ///< of reduced gradients
  bool pieces = false;            ///< each rank returns its piece of the flat tree
  Dtype parameters = Dtype::f32;  ///< of updated parameters
  int steps = 1;
  WorldSize world{1};
  std::vector<int> ranks;  ///< whose results are due, in this order
};

/// What one answer says.
struct Answer {
  /// [step][rank of the question], or why there are none: Declined, Threw or Misbehaved.
  std::variant<std::vector<std::vector<RankResult>>, Outcome> what;
  /// Whether the line was an answer to this question, so that the conversation can go on.
  bool in_step = true;
};

/// Reads one line.
Answer read_answer(std::string_view line, const Question& question);

/// No answer to `question` has more bytes.
std::size_t longest_answer(const Question& question);

}  // namespace shardproof
