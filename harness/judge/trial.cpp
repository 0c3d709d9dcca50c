#include "shardproof/judge/trial.h"

#include "judge/references.h"
#include "shardproof/judge/judge.h"

namespace shardproof {

const Verdict& Trial::gradient_verdict() const {
  if (!gradient_verdict_) gradient_verdict_ = judge_gradient(*this);
  return *gradient_verdict_;
}

const TrialReferences& Trial::references() const {
  if (!references_) references_ = std::make_shared<const TrialReferences>(references_of(*this));
  return *references_;
}

}  // namespace shardproof
