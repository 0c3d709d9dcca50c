#pragma once

#include <memory>

#include "shardproof/case/claim.h"
#include "shardproof/judge/verdict.h"
#include "shardproof/subject/outcome.h"
#include "shardproof/subject/subject.h"

namespace shardproof {

/// One execution: the case, the promise it was made under, and what came back.
struct Trial {
  SharedCase problem;
  std::shared_ptr<const Claim> claim;
  SubjectKind kind = SubjectKind::reducer;
  Outcome outcome;

  /// The comparison of every rank's gradient with the exact reference (`judge_gradient`), made
  /// once.
  [[nodiscard]] const Verdict& gradient_verdict() const;

 private:
  mutable std::optional<Verdict> gradient_verdict_;
};

}  // namespace shardproof
