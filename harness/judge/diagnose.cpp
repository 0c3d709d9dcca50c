#include "shardproof/judge/diagnose.h"

#include <algorithm>

#include "judge/effect.h"
#include "judge/explanation.h"

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

std::vector<Explanation> explanations(const Evidence& evidence, Explained explained) {
  std::vector<Explanation> all;
  for (const Hypothesis& hypothesis : known_hypotheses()) {
    if (auto one = explanation(hypothesis, evidence, explained)) all.push_back(std::move(*one));
  }
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
std::vector<Cause> causes_of(const Evidence& evidence, const DiagnosisRequest& request) {
  const Explained own =
      request.kind == FailureKind::wrong_loss ? Explained::loss : Explained::gradient;
  for (const Explained explained : {Explained::everything, own}) {
    std::vector<Cause> causes = causes_of(evidence, explained, request.of_finding);
    if (!causes.empty()) return causes;
  }
  return {};
}

}  // namespace

Diagnosis diagnose(const DiagnosisRequest& request) {
  const Evidence evidence(request.trials);
  Diagnosis diagnosis;
  diagnosis.causes = causes_of(evidence, request);
  return diagnosis;
}

}  // namespace shardproof
