#include "shardproof/judge/diagnose.h"

#include <map>

#include "judge/mistakes.h"

namespace shardproof {
namespace {

/// A value that the reference refutes.
struct WrongValue {
  const Trial* trial = nullptr;
  int step = 0;
  std::size_t rank = 0;
  std::size_t element = 0;
  double returned = 0;
};

/// The references that decide: of the reducer alone where there are any, else end to end.
const std::vector<ElementReference>& deciding(const StepReferences& step) {
  return step.alone.empty() ? step.end_to_end : step.alone;
}

void add_wrong_values(const Trial& trial, std::vector<WrongValue>& wrong) {
  const Returned* returned = std::get_if<Returned>(&trial.outcome);
  if (returned == nullptr) return;
  const TrialReferences& references = trial.references();
  for (std::size_t s = 0; s < references.steps.size(); ++s) {
    if (!references.steps[s].unjudged.empty()) continue;
    const std::vector<ElementReference>& elements = deciding(references.steps[s]);
    for (std::size_t r = 0; r < returned->results[s].size(); ++r) {
      const std::span<const double> values = returned->results[s][r].gradient.values();
      for (std::size_t e = 0; e < values.size(); ++e) {
        const ElementJudge judge(elements[e], references.steps[s].arithmetic, trial.problem->dtype);
        if (judge.rule(values[e]) != ElementJudge::Ruling::refuted) continue;
        wrong.push_back({&trial, static_cast<int>(s), r, e, values[e]});
      }
    }
  }
}

/// What one mistake predicts, worked out once a trial, step and rank.
class Prediction {
 public:
  explicit Prediction(const Mistake& mistake) : mistake_(mistake) {}

  bool predicts(const WrongValue& wrong) {
    const StepReferences* references = references_at(wrong);
    if (references == nullptr) return false;
    const ElementReference& element = deciding(*references)[wrong.element];
    const ElementJudge judge(element, references->arithmetic, wrong.trial->problem->dtype);
    return judge.rule(wrong.returned) == ElementJudge::Ruling::accepted;
  }

 private:
  struct Key {
    const Trial* trial;
    int step;
    std::size_t own;
    friend auto operator<=>(const Key&, const Key&) = default;
  };

  const StepReferences* references_at(const WrongValue& wrong) {
    const int step = mistake_.of_step_before ? wrong.step - 1 : wrong.step;
    if (step < 0) return nullptr;
    const Key key{wrong.trial, step, mistake_.differs_by_rank ? wrong.rank : 0};
    auto found = known_.find(key);
    if (found == known_.end()) found = known_.emplace(key, make(key)).first;
    return found->second ? &*found->second : nullptr;
  }

  std::optional<StepReferences> make(const Key& key) const {
    const auto weights = weights_of(mistake_, *key.trial, key.step, key.own);
    if (!weights) return std::nullopt;
    StepReferences references = references_under(*key.trial, key.step, *weights);
    if (!references.unjudged.empty()) return std::nullopt;
    return references;
  }

  const Mistake& mistake_;
  std::map<Key, std::optional<StepReferences>> known_;
};

bool predicts_all(const Mistake& mistake, std::span<const WrongValue> wrong) {
  Prediction prediction(mistake);
  for (const WrongValue& value : wrong) {
    if (!prediction.predicts(value)) return false;
  }
  return true;
}

}  // namespace

std::vector<Cause> diagnose(std::span<const Trial> trials) {
  std::vector<WrongValue> wrong;
  int cases = 0;
  int unseen = 0;
  for (const Trial& trial : trials) {
    const std::size_t before = wrong.size();
    add_wrong_values(trial, wrong);
    if (wrong.size() == before) continue;
    ++cases;
    unseen += &trial == trials.data() ? 0 : 1;
  }
  std::vector<Cause> causes;
  if (wrong.empty()) return causes;
  for (const Mistake& mistake : known_mistakes()) {
    if (!predicts_all(mistake, wrong)) continue;
    const WrongValue& first = wrong.front();
    causes.push_back({mistake.formula, mistake.meaning,
                      effect_of(mistake, *first.trial, first.step, first.rank), mistake.fix,
                      static_cast<int>(wrong.size()), cases, unseen});
  }
  return causes;
}

}  // namespace shardproof
