#include "shardproof/judge/trial.h"

#include "judge/references.h"
#include "shardproof/judge/judge.h"
#include "shardproof/subject/pieces.h"

namespace shardproof {

Trial::Trial(SharedCase the_case, std::shared_ptr<const Claim> the_claim, SubjectKind the_kind,
             Outcome the_outcome)
    : problem(std::move(the_case)),
      claim(std::move(the_claim)),
      kind(the_kind),
      outcome(std::move(the_outcome)) {
  if (claim->result == Result::whole) return;
  auto* const returned = std::get_if<Returned>(&outcome);
  if (returned == nullptr) return;
  if (std::optional<Misbehaved> misfit = settle_pieces(*returned)) outcome = *std::move(misfit);
}

Piece expected_piece(const Trial& trial, std::size_t step, std::size_t rank) {
  const RankResult& result = std::get<Returned>(trial.outcome).results[step][rank];
  if (trial.claim->result == Result::pieces) return *result.piece;
  return {.offset = 0, .length = result.gradient.values().size()};
}

const Verdict& Trial::gradient_verdict() const {
  if (!gradient_verdict_) gradient_verdict_ = judge_gradient(*this);
  return *gradient_verdict_;
}

const TrialReferences& Trial::references() const {
  if (!references_) references_ = std::make_shared<const TrialReferences>(references_of(*this));
  return *references_;
}

}  // namespace shardproof
