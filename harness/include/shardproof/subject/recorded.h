#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "shardproof/subject/subject.h"

namespace shardproof {

/// One execution that took place elsewhere.
struct Recording {
  SharedCase problem;
  Outcome outcome;
};

/// A subject that answers from records. Of several records of one case each is given in turn.
class Recorded final : public Subject {
 public:
  /// \throws InputError  when the claim is inconsistent
  Recorded(std::string name, Claim claim, SubjectKind kind, std::vector<Recording> recordings);

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] SubjectKind kind() const override { return kind_; }
  [[nodiscard]] const Claim& claim() const override { return claim_; }

  /// Whether there is a record of the case; given contributions are not compared.
  [[nodiscard]] bool has(const Case& problem) const;
  /// \pre has(*problem); else the outcome is that the subject declines
  Outcome run(const SharedCase& problem, const Limits& limits) override;

 private:
  struct Turns {
    std::vector<std::size_t> of;  ///< of the recordings
    std::size_t next = 0;
  };
  [[nodiscard]] const std::vector<Turns>* candidates(const Case& problem) const;
  [[nodiscard]] bool is_of(const Turns& turns, const Case& problem) const;

  std::string name_;
  Claim claim_;
  SubjectKind kind_;
  std::vector<Recording> recordings_;
  std::unordered_map<std::uint64_t, std::vector<Turns>> by_hash_;
};

}  // namespace shardproof
