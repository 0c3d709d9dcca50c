#include "judge/evidence.h"

#include <cmath>

#include "judge/references.h"

namespace shardproof {
namespace {

/// What is said of a value: right, wrong, or nothing.
class Ruler {
 public:
  Ruler(const Trial& trial, std::size_t step)
      : trial_(trial), references_(trial.references().steps[step]) {
    from_nothing_ = trial.problem->steps[step].valid().value == 0;
  }

  [[nodiscard]] bool judges() const { return from_nothing_ || references_.unjudged.empty(); }

  [[nodiscard]] std::optional<bool> is_wrong(std::size_t element, double value) const {
    if (from_nothing_) {
      const bool harmless =
          value == 0 || (trial_.claim->all_empty == AllEmpty::nan_allowed && std::isnan(value));
      return !harmless;
    }
    // The references that decide: of the reducer alone where there are any, else end to end.
    const std::vector<ElementReference>& deciding =
        references_.alone.empty() ? references_.end_to_end : references_.alone;
    const ElementJudge judge(deciding[element], references_.arithmetic, output_dtype(trial_));
    switch (judge.rule(value)) {
      case ElementJudge::Ruling::accepted:
        return false;
      case ElementJudge::Ruling::refuted:
        return true;
      case ElementJudge::Ruling::undecided:
        break;
    }
    return std::nullopt;
  }

 private:
  const Trial& trial_;
  const StepReferences& references_;
  bool from_nothing_;
};

void add_step(std::size_t index, const Trial& trial, std::size_t step,
              std::vector<JudgedValue>& values) {
  const Ruler ruler(trial, step);
  if (!ruler.judges()) return;
  const std::vector<RankResult>& results = std::get<Returned>(trial.outcome).results[step];
  const std::size_t size = results.front().gradient.values().size();
  for (std::size_t e = 0; e <= size; ++e) {
    for (std::size_t r = 0; r < results.size(); ++r) {
      if (e == size && !results[r].loss) continue;
      if (e < size && !expected_piece(trial, step, r).holds(e)) continue;
      const double value = e < size ? results[r].gradient.values()[e] : *results[r].loss;
      if (const std::optional<bool> wrong = ruler.is_wrong(e, value)) {
        values.push_back({index, static_cast<int>(step), r, e, value, *wrong});
      }
    }
  }
}

void add_updates(std::size_t index, const Trial& trial, std::size_t step,
                 std::vector<JudgedValue>& values) {
  const StepReferences& references = trial.references().steps[step];
  if (trial.kind != SubjectKind::train_step || !references.unjudged.empty()) return;
  const std::vector<RankResult>& results = std::get<Returned>(trial.outcome).results[step];
  for (std::size_t e = 0; e < results.front().gradient.values().size(); ++e) {
    for (std::size_t r = 0; r < results.size(); ++r) {
      const Moved moved{references.parameters[r][e], results[r].parameters->values()[e]};
      const auto wrong =
          is_wrong_update(trial, references.arithmetic, references.end_to_end[e], moved);
      if (!wrong) continue;
      values.push_back({index, static_cast<int>(step), r, e, moved.after, *wrong, moved.before});
    }
  }
}

}  // namespace

Evidence::Evidence(std::span<const Trial> trials, Judged judged) : judged_(judged) {
  for (std::size_t t = 0; t < trials.size(); ++t) {
    const Returned* returned = std::get_if<Returned>(&trials[t].outcome);
    predictors_.push_back(nullptr);
    after_update_.push_back(nullptr);
    if (returned == nullptr) continue;
    predictors_.back() = std::make_unique<const Predictor>(trials[t]);
    after_update_.back() = std::make_unique<const Predictor>(trials[t], true);
    for (std::size_t s = 0; s < returned->results.size(); ++s) {
      judged == Judged::results ? add_step(t, trials[t], s, values_)
                                : add_updates(t, trials[t], s, values_);
    }
  }
}

}  // namespace shardproof
