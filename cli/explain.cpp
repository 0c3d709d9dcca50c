#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <variant>

#include "exit_status.h"
#include "shardproof/exact/rational.h"
#include "shardproof/generators/cases.h"
#include "shardproof/run/counterexample.h"
#include "shardproof/run/report.h"
#include "shardproof/subject/pieces.h"
#include "subjects.h"
#include "truth.h"
#include "verbs.h"

namespace shardproof::cli {
namespace {

constexpr std::size_t kMostElements = 64;  // shown of a step

std::string shortest(double value) {
  char text[40];
  for (int digits = 1; digits <= 17; ++digits) {
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    if (std::strtod(text, nullptr) == value) break;
  }
  return text;
}

// `returned / exact`, to six digits.
std::string times_exact(double returned, const Dyadic& numerator, std::uint64_t divisor) {
  if (numerator.zero() || !std::isfinite(returned) || returned == 0) return "";
  const double exact = numerator.magnitude_down() / static_cast<double>(divisor);
  const double ratio = returned / (numerator.negative() ? -exact : exact);
  if (!std::isfinite(ratio)) return "";
  char text[48];
  std::snprintf(text, sizeof text, "  (%.6g times the exact value)", ratio);
  return text;
}

// One line a distinct value: `every rank returned 3`, or `rank 1 returned 3` where ranks differ.
template <class ValueOf>
void print_returned(std::size_t ranks, const Dyadic& numerator, std::uint64_t divisor,
                    const ValueOf& value_of) {
  const auto line = [&](const std::string& who, double value) {
    std::printf("    %s returned %s%s\n", who.c_str(), shortest(value).c_str(),
                times_exact(value, numerator, divisor).c_str());
  };
  bool same = true;
  for (std::size_t r = 1; r < ranks; ++r) same = same && value_of(r) == value_of(0);
  if (same && ranks > 1) return line("every rank", value_of(0));
  for (std::size_t r = 0; r < ranks; ++r) line("rank " + std::to_string(r), value_of(r));
}

struct Explained {
  const Case& problem;
  const Claim& claim;
  SharedShape shape;
  const Returned* returned;  // nothing where no result came back
};

void print_element(const Explained& what, const StepTruth& truth, std::size_t step,
                   std::size_t element) {
  std::printf("  %s   exact %s\n", element_name(*what.shape, element).c_str(),
              readable(truth.gradient->numerators[element], truth.gradient->divisor).c_str());
  for (std::size_t r = 0; r < truth.counts.size(); ++r) {
    const ExactTree& mean = truth.rank_means[r];
    if (truth.counts[r] == 0) {
      std::printf("    rank %zu  no valid row\n", r);
      continue;
    }
    std::printf("    rank %zu  mean of its rows %s   weight %s\n", r,
                readable(mean.numerators[element], mean.divisor).c_str(),
                weight_of_rank(what.claim, truth, static_cast<int>(r)).c_str());
  }
  if (what.returned == nullptr) return;
  const std::vector<RankResult>& results = what.returned->results[step];
  const auto returned = [&](std::size_t r) { return results[r].gradient.values()[element]; };
  const Dyadic& numerator = truth.gradient->numerators[element];
  if (what.claim.result == Result::whole) {
    print_returned(results.size(), numerator, truth.gradient->divisor, returned);
    return;
  }
  for (std::size_t r = 0; r < results.size(); ++r) {
    if (!results[r].piece->holds(element)) continue;
    std::printf("    rank %zu returned %s in its piece%s\n", r, shortest(returned(r)).c_str(),
                times_exact(returned(r), numerator, truth.gradient->divisor).c_str());
  }
}

void print_loss(const Explained& what, const StepTruth& truth, std::size_t step) {
  if (what.returned == nullptr || !truth.loss) return;
  const std::vector<RankResult>& results = what.returned->results[step];
  if (!std::ranges::all_of(results, [](const RankResult& r) { return r.loss.has_value(); })) return;
  std::printf("  loss   exact mean over all valid rows %s\n",
              readable(truth.loss->numerator, truth.loss->divisor).c_str());
  print_returned(results.size(), truth.loss->numerator, truth.loss->divisor,
                 [&](std::size_t r) { return *results[r].loss; });
}

// Where each rank evaluates its rows in a step: a train step moves its parameters.
std::vector<std::vector<double>> parameters_at(const Explained& what, std::size_t step) {
  const std::size_t ranks = what.problem.steps[step].shards.size();
  std::vector<std::vector<double>> parameters(ranks, what.problem.model.parameters);
  if (step == 0 || what.returned == nullptr) return parameters;
  for (std::size_t r = 0; r < ranks; ++r) {
    const auto& moved = what.returned->results[step - 1][r].parameters;
    if (moved) parameters[r].assign(moved->values().begin(), moved->values().end());
  }
  return parameters;
}

void print_step(const Explained& what, std::size_t step) {
  const std::vector<std::vector<double>> parameters = parameters_at(what, step);
  for (const std::vector<double>& each : parameters) {
    if (std::ranges::all_of(each, [](double value) { return std::isfinite(value); })) continue;
    std::printf("step %zu: the parameters are not finite any more\n", step);
    return;
  }
  const StepTruth truth = step_truth(what.problem, what.claim, static_cast<int>(step), parameters);
  std::printf("step %zu: %lld valid rows\n", step, static_cast<long long>(truth.count));
  if (!truth.gradient) {
    std::puts(truth.count == 0 ? "  no row is valid: there is no exact gradient"
                               : "  the common divisor is too large to print exact values");
    return;
  }
  const std::size_t shown = std::min(what.shape->size, kMostElements);
  for (std::size_t e = 0; e < shown; ++e) print_element(what, truth, step, e);
  if (shown < what.shape->size) {
    std::printf("  ... %zu more elements\n", what.shape->size - shown);
  }
  print_loss(what, truth, step);
}

/// What failed first.
struct Refuted {
  const Property* property;
  FailureKind kind;
};

std::optional<Refuted> print_verdicts(Subject& subject, const std::vector<Property>& properties,
                                      const SharedCase& problem) {
  int executions = 0;
  std::optional<Refuted> failed;
  for (const Property& property : properties) {
    const Verdict verdict = check_case(subject, property, problem, Limits{}, executions);
    if (const auto* failure = std::get_if<Failure>(&verdict)) {
      if (!failed) failed = Refuted{&property, failure->kind};
      std::printf("FAILED   %s\n  %s\n", property.name.c_str(), failure->sentence.c_str());
    } else if (const auto* skipped = std::get_if<NotApplicable>(&verdict)) {
      std::printf("SKIPPED  %s\n  %s\n", property.name.c_str(), skipped->reason.c_str());
    } else {
      std::printf("PASSED   %s\n", property.name.c_str());
    }
  }
  return failed;
}

/// Asks on further cases, too, so that a fault is told apart from those that fit this one by
/// chance.
void print_causes(Subject& subject, const SharedCase& problem, const Refuted& refuted) {
  CauseQuestion question{
      .kind = refuted.kind, .property = refuted.property, .of_finding = {problem}};
  for (Case& more : diagnosis_cases(subject.claim(), subject.kind(), *problem, *problem)) {
    question.more.push_back(std::make_shared<const Case>(std::move(more)));
  }
  std::fputs(describe(find_causes(subject, question, Limits{})).c_str(), stdout);
}

}  // namespace

int explain(const ExplainRequest& request) {
  const Counterexample stored = load_counterexample(request.file);
  const std::unique_ptr<Subject> subject = make_subject_of(stored, request.subject, request.file);
  const std::vector<Property> properties = property_of(stored, request.file);
  const auto problem = problem_for(stored, *subject);
  Outcome outcome = subject->run(problem, Limits{});
  auto* const came_back = std::get_if<Returned>(&outcome);
  const bool in_pieces = subject->claim().result == Result::pieces;
  if (came_back != nullptr && in_pieces) {
    if (auto misfit = settle_pieces(*came_back)) outcome = *std::move(misfit);
  }
  std::printf("%s, %s; case %d of seed %llu%s\n", stored.subject.c_str(), stored.property.c_str(),
              stored.case_index, static_cast<unsigned long long>(stored.seed),
              stored.shrunk ? ", shrunk" : "");
  std::printf("%s, %d ranks; assumed: %s\n", std::string(name(problem->dtype)).c_str(),
              problem->world_size().value, describe(subject->claim(), problem->dtype).c_str());
  std::fputs(describe(*problem, subject->kind()).c_str(), stdout);
  const Explained what{*problem, subject->claim(), tree_shape(problem->model),
                       std::get_if<Returned>(&outcome)};
  for (std::size_t s = 0; s < problem->steps.size(); ++s) print_step(what, s);
  if (!subject->usable()) return kNothingRefuted;
  const std::optional<Refuted> failed = print_verdicts(*subject, properties, problem);
  if (failed && subject->usable()) print_causes(*subject, problem, *failed);
  return kNothingRefuted;
}

}  // namespace shardproof::cli
