#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "shardproof/case/claim.h"
#include "shardproof/judge/verdict.h"
#include "shardproof/subject/outcome.h"
#include "shardproof/subject/subject.h"

namespace shardproof {

struct TrialReferences;

/// One execution: the case, the promise it was made under, and what came back.
class Trial {
 public:
  /// Under a claim of pieces, results whose pieces do not fit together become `Misbehaved`, and in
  /// all others every rank's piece is said and nothing stands outside of it.
  Trial(SharedCase the_case, std::shared_ptr<const Claim> the_claim, SubjectKind the_kind,
        Outcome the_outcome);
  // The references point into the outcome, whose buffers a move keeps and a copy does not.
  Trial(Trial&&) = default;
  Trial& operator=(Trial&&) = default;

  SharedCase problem;
  std::shared_ptr<const Claim> claim;
  SubjectKind kind;
  Outcome outcome;

  /// The comparison of every rank's gradient with the exact reference (`judge_gradient`), made
  /// once.
  [[nodiscard]] const Verdict& gradient_verdict() const;
  /// The same where some property asked for it, else null.
  [[nodiscard]] const Verdict* gradient_verdict_made() const {
    return gradient_verdict_ ? &*gradient_verdict_ : nullptr;
  }
  /// What the results are compared with, worked out once. \pre `outcome` is Returned
  [[nodiscard]] const TrialReferences& references() const;

 private:
  mutable std::shared_ptr<const TrialReferences> references_;
  mutable std::optional<Verdict> gradient_verdict_;
};

/// The elements of the flat tree that a rank of a step has to return right: all of them or, under a
/// claim of pieces, those of its piece. What the exact value of such an element is does not depend
/// on the rank. \pre `outcome` is Returned
Piece expected_piece(const Trial& trial, std::size_t step, std::size_t rank);

/// The dtype of the results of a trial, as its claim says.
inline Dtype output_dtype(const Trial& trial) {
  return role_dtypes(*trial.claim, trial.problem->dtype).output;
}

}  // namespace shardproof
