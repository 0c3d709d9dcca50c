#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "subject/program/answer.h"
#include "subject/program/case_message.h"
#include "subject/program/conversation.h"

namespace shardproof {

/// One trial of a program: a case is sent, answers come back.
class ProgramTrial {
 public:
  /// All of them are borrowed. `contributions` is null for a train step.
  ProgramTrial(Conversation& conversation, std::uint64_t id, const Case& problem,
               const SharedShape& shape, const Claim& claim, AllContributions* contributions);

  Outcome run(Conversation::Clock::time_point deadline);
  /// Whether the conversation can go on with another trial.
  [[nodiscard]] bool in_step() const { return in_step_; }

 private:
  struct Party {
    Question question;
    std::optional<Answer> answer{};
  };

  void ask();
  [[nodiscard]] bool all_have_answered() const;
  void take(std::size_t party);
  void answered(std::size_t party, Answer answer);
  void misbehaved(std::size_t party, std::string what);
  void ended(std::size_t party);
  [[nodiscard]] Outcome outcome();
  [[nodiscard]] Outcome returned();
  [[nodiscard]] Outcome timed_out();

  Conversation& conversation_;
  const Case& problem_;
  const SharedShape& shape_;
  const Claim& claim_;
  AllContributions* contributions_;
  std::vector<Party> parties_;
  bool in_step_ = true;
  bool failed_ = false;  ///< some party came to no result
};

}  // namespace shardproof
