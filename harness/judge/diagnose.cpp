#include "shardproof/judge/diagnose.h"

#include <algorithm>

#include "judge/counts_and_norms.h"
#include "judge/effect.h"
#include "judge/explanation.h"
#include "judge/measured.h"

namespace shardproof {
namespace {

/// What is predicted, as the subject of a sentence.
std::string subject_of(const Evidence& evidence, const JudgedValue& value,
                       const std::string& where) {
  if (evidence.is_loss(value)) return "the loss";
  return where.empty() || where == "only the gradient, the loss is right" ? "every leaf"
                                                                          : "every such value";
}

std::vector<const JudgedValue*> wrong_values(const Evidence& evidence, Explained explained) {
  std::vector<const JudgedValue*> wrong;
  for (const JudgedValue& value : evidence.values()) {
    const bool wanted = explained == Explained::everything ||
                        evidence.is_loss(value) == (explained == Explained::loss);
    if (value.wrong && wanted) wrong.push_back(&value);
  }
  return wrong;
}

bool names_formula(const std::vector<Explanation>& all, const std::string& formula) {
  return std::ranges::any_of(
      all, [&](const Explanation& one) { return one.hypothesis->formula == formula; });
}

std::vector<Explanation> explanations(const Evidence& evidence, Explained explained) {
  std::vector<Explanation> all;
  const std::vector<const JudgedValue*> wrong = wrong_values(evidence, explained);
  const bool of_loss_alone = std::ranges::all_of(
      wrong, [&](const JudgedValue* value) { return evidence.is_loss(*value); });
  const auto add = [&](std::span<const Hypothesis> hypotheses) {
    for (const Hypothesis& hypothesis : hypotheses) {
      if (of_loss_alone && hypothesis.of_leaves) continue;
      if (names_formula(all, hypothesis.formula)) continue;
      if (auto one = explanation(hypothesis, evidence, explained)) all.push_back(std::move(*one));
    }
  };
  if (evidence.judged() == Judged::updates) add(update_hypotheses());
  add(known_hypotheses());
  if (all.empty()) return all;
  const int simplest = std::ranges::min(all, {}, &Explanation::conditions).conditions;
  std::erase_if(all, [&](const Explanation& one) { return one.conditions > simplest; });
  return all;
}

/// What the fault does to the first of the wrong values, in a sentence.
std::string effect_of(const Explanation& explanation, const Evidence& evidence,
                      std::span<const JudgedValue* const> wrong) {
  FactorNames names;
  const JudgedValue* last = nullptr;
  for (const JudgedValue* value : wrong) {
    if (last != nullptr && last->trial == value->trial && last->step == value->step) continue;
    last = value;
    const ResultSite site = evidence.site(*value);
    if (const auto prediction = explanation.hypothesis->predict(site)) {
      names.narrow(*prediction, site);
    }
  }
  const JudgedValue& first = *wrong.front();
  const ResultSite site = evidence.site(first);
  const std::optional<Prediction> prediction = explanation.hypothesis->predict(site);
  if (!prediction) return {};
  return effect_of(*prediction, site, subject_of(evidence, first, explanation.where), names);
}

/// A cause without its counts.
Cause cause_of(const Explanation& explanation, const Evidence& evidence,
               std::span<const JudgedValue* const> wrong) {
  const Hypothesis& hypothesis = *explanation.hypothesis;
  return {.name = hypothesis.name,
          .formula = hypothesis.formula,
          .meaning = hypothesis.meaning,
          .where = explanation.where,
          .effect = effect_of(explanation, evidence, wrong),
          .fix = hypothesis.fix};
}

void count(Cause& cause, std::span<const JudgedValue* const> wrong, std::size_t of_finding) {
  std::optional<std::size_t> last;
  for (const JudgedValue* value : wrong) {
    ++cause.values;
    cause.unseen += value->trial < of_finding ? 0 : 1;
    cause.cases += last == value->trial ? 0 : 1;
    last = value->trial;
  }
}

std::vector<Cause> causes_of(const Evidence& evidence, Explained explained,
                             std::size_t of_finding) {
  std::vector<Cause> causes;
  const std::vector<const JudgedValue*> wrong = wrong_values(evidence, explained);
  if (wrong.empty()) return causes;
  for (const Explanation& one : explanations(evidence, explained)) {
    causes.push_back(cause_of(one, evidence, wrong));
    count(causes.back(), wrong, of_finding);
  }
  return causes;
}

/// Gradient and loss are explained together where one fault does, else each by itself.
std::vector<Cause> causes_of_results(const Evidence& evidence, const DiagnosisRequest& request) {
  const bool of_loss = request.kind == FailureKind::wrong_loss;
  const Explained own = of_loss ? Explained::loss : Explained::gradient;
  for (const Explained explained : {Explained::everything, own}) {
    std::vector<Cause> causes = causes_of(evidence, explained, request.of_finding);
    if (!causes.empty()) return causes;
  }
  return {};
}

std::vector<Cause> causes_of_updates(const DiagnosisRequest& request) {
  const Evidence evidence(request.trials, Judged::updates);
  std::vector<Cause> causes = causes_of(evidence, Explained::everything, request.of_finding);
  for (Cause& cause : causes) {
    cause.formula = "w - lr (" + cause.formula + ")";
    cause.meaning = "parameters are moved by: " + cause.meaning;
    cause.effect.clear();  // of a gradient, which is right
  }
  return causes;
}

bool any_wrong(const Evidence& evidence) {
  return std::ranges::any_of(evidence.values(), &JudgedValue::wrong);
}

constexpr const char* kInsideTheBound =
    "observed: every gradient and loss lies inside its bound, and so differs by summation order "
    "only: no fault of the values; claim equal-bits=no, or order-fixed=no, where that is allowed";

/// In which ways the trials' values may be wrong, those of the finding first.
std::vector<Cause> causes_of(const Evidence& evidence, const DiagnosisRequest& request) {
  std::vector<Cause> causes;
  const auto try_next = [&](auto&& next) {
    if (causes.empty()) causes = next();
  };
  const auto counts = [&] { return causes_of_counts(request.trials, request.of_finding); };
  const auto norms = [&] { return causes_of_norms(request.trials, request.of_finding); };
  if (request.kind == FailureKind::wrong_count) try_next(counts);
  if (request.kind == FailureKind::wrong_norm) try_next(norms);
  try_next([&] { return causes_of_results(evidence, request); });
  if (any_wrong(evidence)) return causes;
  try_next([&] { return causes_of_updates(request); });
  try_next(counts);
  try_next(norms);
  return causes;
}

/// Whether what a subject left in its input is its own result.
bool left_the_result(const Trial& trial) {
  const Returned* returned = std::get_if<Returned>(&trial.outcome);
  if (returned == nullptr || !returned->input_change) return false;
  const InputChange& change = *returned->input_change;
  const Tree& result = returned
                           ->results[static_cast<std::size_t>(change.step)]
                                    [static_cast<std::size_t>(change.rank.index)]
                           .gradient;
  for (std::size_t e = 0; e < result.values().size(); ++e) {
    if (element_name(result.shape(), e) == change.what) return result.values()[e] == change.after;
  }
  return false;
}

bool same_results(const RankResult& a, const RankResult& b, Result claimed) {
  if (claimed == Result::pieces) return a.loss == b.loss;
  const std::size_t same = first_difference(a.gradient.values(), b.gradient.values());
  return same == a.gradient.values().size() && a.loss == b.loss;
}

/// Whether gradients or losses differ between ranks.
bool ranks_differ(const Trial& trial) {
  const Returned* returned = std::get_if<Returned>(&trial.outcome);
  if (returned == nullptr) return false;
  return std::ranges::any_of(returned->results, [&](const std::vector<RankResult>& ranks) {
    return !std::ranges::all_of(ranks, [&](const RankResult& rank) {
      return same_results(rank, ranks.front(), trial.claim->result);
    });
  });
}

std::vector<std::string> observed(const Evidence& evidence, const DiagnosisRequest& request) {
  if (request.kind == FailureKind::input_changed) {
    if (!std::ranges::all_of(request.trials, [](const Trial& trial) {
          const Returned* returned = std::get_if<Returned>(&trial.outcome);
          return returned == nullptr || !returned->input_change || left_the_result(trial);
        })) {
      return {};
    }
    return {"observed: what is left in the input is the rank's own result: it is reduced in place"};
  }
  if (any_wrong(evidence)) return measured_weights(evidence);
  const bool of_ranks = request.kind == FailureKind::ranks_differ &&
                        std::ranges::any_of(request.trials, ranks_differ);
  if (of_ranks || request.kind == FailureKind::unsteady) return {kInsideTheBound};
  return {};
}

}  // namespace

Diagnosis diagnose(const DiagnosisRequest& request) {
  const Evidence evidence(request.trials);
  Diagnosis diagnosis;
  diagnosis.causes = causes_of(evidence, request);
  if (diagnosis.causes.empty()) diagnosis.observed = observed(evidence, request);
  return diagnosis;
}

}  // namespace shardproof
