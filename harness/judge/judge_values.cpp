#include <algorithm>

#include "judge/references.h"
#include "judge/sentence.h"
#include "judge/steps.h"
#include "shardproof/judge/judge.h"

namespace shardproof {
namespace {

constexpr const char* kAlone = "the reducer alone, from its inputs";
constexpr const char* kEndToEnd = "end to end, from the rows";

/// What is compared of each rank: elements of the tree, or the loss behind them.
struct Compared {
  FailureKind kind;
  std::size_t first;
  std::size_t last;
  std::optional<double> (*value)(const RankResult&, std::size_t element);
};

std::optional<double> gradient_element(const RankResult& result, std::size_t element) {
  return result.gradient.values()[element];
}

std::optional<double> returned_loss(const RankResult& result, std::size_t) { return result.loss; }

bool same_bits(double a, double b) { return first_difference({&a, 1}, {&b, 1}) == 1; }

/// Walks all steps, elements and ranks with the references of one basis.
class Comparison {
 public:
  Comparison(const Trial& trial, const Compared& compared) : trial_(trial), compared_(compared) {}

  std::optional<Failure> first_failure(std::size_t step, const StepReferences& references,
                                       const std::vector<ElementReference>& elements,
                                       const char* basis) {
    pieces_.clear();
    if (compared_.kind == FailureKind::wrong_gradient) {
      const std::size_t ranks = std::get<Returned>(trial_.outcome).results[step].size();
      for (std::size_t r = 0; r < ranks; ++r) pieces_.push_back(expected_piece(trial_, step, r));
    }
    for (std::size_t e = compared_.first; e < std::min(compared_.last, elements.size()); ++e) {
      if (auto failure = element_failure(step, references.arithmetic, elements[e], e, basis)) {
        return failure;
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] bool anything_judged() const { return judged_; }
  [[nodiscard]] bool anything_undecided() const { return undecided_; }

 private:
  std::optional<Failure> element_failure(std::size_t step, const Arithmetic& arithmetic,
                                         const ElementReference& reference, std::size_t element,
                                         const char* basis) {
    const std::vector<RankResult>& ranks = std::get<Returned>(trial_.outcome).results[step];
    const ElementJudge judge(reference, arithmetic, output_dtype(trial_));
    std::optional<double> accepted;
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      const std::optional<double> value = value_of(ranks, r, element);
      if (!value) continue;
      if (accepted && same_bits(*accepted, *value)) continue;
      switch (judge.rule(*value)) {
        case ElementJudge::Ruling::accepted:
          judged_ = true;
          accepted = value;
          break;
        case ElementJudge::Ruling::undecided:
          undecided_ = true;
          break;
        case ElementJudge::Ruling::refuted:
          return failure_at(step, reference, judge, element, r, *value, basis);
      }
    }
    return std::nullopt;
  }

  /// Nothing where the rank does not return it.
  [[nodiscard]] std::optional<double> value_of(const std::vector<RankResult>& ranks, std::size_t r,
                                               std::size_t element) const {
    if (!pieces_.empty() && !pieces_[r].holds(element)) return std::nullopt;
    return compared_.value(ranks[r], element);
  }

  Failure failure_at(std::size_t step, const ElementReference& reference, const ElementJudge& judge,
                     std::size_t element, std::size_t rank, double value, const char* basis) const {
    const std::vector<RankResult>& ranks = std::get<Returned>(trial_.outcome).results[step];
    Place place;
    place.kind = compared_.kind;
    place.step = static_cast<int>(step);
    place.steps = static_cast<int>(trial_.problem->steps.size());
    place.rank = Rank{static_cast<int>(rank)};
    place.every_rank =
        ranks.size() > 1 && std::all_of(ranks.begin(), ranks.end(), [&](const RankResult& result) {
          const auto r = static_cast<std::size_t>(&result - ranks.data());
          const std::optional<double> other = value_of(ranks, r, element);
          return other && same_bits(*other, value);
        });
    place.element = compared_.kind == FailureKind::wrong_loss
                        ? "loss"
                        : element_name(ranks[rank].gradient.shape(), element);
    place.basis = basis;
    return refuted_element(place, reference, judge, value, trial_);
  }

  const Trial& trial_;
  const Compared& compared_;
  std::vector<Piece> pieces_;  // of the ranks, where gradients are compared
  bool judged_ = false;
  bool undecided_ = false;
};

Verdict judge_values(const Trial& trial, const Compared& compared) {
  if (auto failure = failure_without_result(trial)) return *failure;
  if (!std::holds_alternative<Returned>(trial.outcome)) return NotApplicable{kNoResult};
  const TrialReferences& references = trial.references();
  Comparison comparison(trial, compared);
  std::string reason = kNoResult;
  for (std::size_t s = 0; s < references.steps.size(); ++s) {
    const StepReferences& step = references.steps[s];
    if (!step.unjudged.empty()) {
      reason = step.unjudged;
      continue;
    }
    if (auto failure = comparison.first_failure(s, step, step.alone, kAlone)) return *failure;
    if (auto failure = comparison.first_failure(s, step, step.end_to_end, kEndToEnd)) {
      return *failure;
    }
  }
  if (comparison.anything_judged()) return Consistent{};
  if (comparison.anything_undecided()) {
    reason = "overflow, or underflow to be flushed, is possible for some placement of the division";
  }
  return NotApplicable{reason};
}

std::size_t tree_size(const Trial& trial) { return tree_shape(trial.problem->model)->size; }

}  // namespace

Verdict judge_gradient(const Trial& trial) {
  return judge_values(trial, {FailureKind::wrong_gradient, 0, tree_size(trial), &gradient_element});
}

Verdict judge_loss(const Trial& trial) {
  const Returned* returned = std::get_if<Returned>(&trial.outcome);
  if (returned != nullptr &&
      !any_rank(*returned, [](const RankResult& result) { return result.loss.has_value(); })) {
    return NotApplicable{"no loss is returned"};
  }
  const std::size_t loss = tree_size(trial);
  return judge_values(trial, {FailureKind::wrong_loss, loss, loss + 1, &returned_loss});
}

}  // namespace shardproof
