#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "demo_cases.h"
#include "exit_status.h"
#include "shardproof/exact/rational.h"
#include "shardproof/properties/registry.h"
#include "shardproof/properties/suite.h"
#include "shardproof/run/report.h"
#include "subjects.h"
#include "truth.h"
#include "verbs.h"

namespace shardproof::cli {
namespace {

// Prints what is stated, and keeps count of what did not come out so.
class Facts {
 public:
  void state(bool holds, const std::string& statement) {
    std::printf("  %s  %s\n", holds ? "ok   " : "WRONG", statement.c_str());
    all_hold_ = all_hold_ && holds;
  }
  [[nodiscard]] bool all_hold() const { return all_hold_; }

 private:
  bool all_hold_ = true;
};

std::string pair(double first, double second) {
  char text[64];
  std::snprintf(text, sizeof text, "(%.10g, %.10g)", first, second);
  return text;
}

// What every rank returned for the only step; empty where none did, or two differ.
std::vector<double> returned_by_all(const Outcome& outcome) {
  const auto* returned = std::get_if<Returned>(&outcome);
  if (returned == nullptr) return {};
  const std::vector<RankResult>& ranks = returned->results.front();
  const auto first = ranks.front().gradient.values();
  for (const RankResult& rank : ranks) {
    if (first_difference(first, rank.gradient.values()) != first.size()) return {};
  }
  return {first.begin(), first.end()};
}

std::vector<double> gradient_of(const std::string& subject, const Case& problem) {
  return returned_by_all(make_subject({.name = std::string(subject)}, "")
                             ->run(std::make_shared<const Case>(problem), Limits{}));
}

// The judgement of one property: the sentence of a refutation, or nothing when it passed.
std::string refutation(const std::string& name, const Case& problem,
                       std::string_view property = "matches_reference") {
  const std::unique_ptr<Subject> subject = make_subject({.name = std::string(name)}, "");
  int executions = 0;
  const Verdict verdict = check_case(*subject, matching_properties(property).front(),
                                     std::make_shared<const Case>(problem), Limits{}, executions);
  if (const auto* failure = std::get_if<Failure>(&verdict)) return failure->sentence;
  if (const auto* skipped = std::get_if<NotApplicable>(&verdict)) return "? " + skipped->reason;
  return "";
}

void sixteen_devices(Facts& facts) {
  std::puts("1. Sixteen ranks with two of 32 rows each, one linear model, f32");
  const Case problem = sixteen_ranks();
  const std::vector<std::vector<double>> parameters(16, problem.model.parameters);
  const ExactTree exact = step_truth(problem, Claim{}, 0, parameters).gradient.value();
  const std::string first = fraction(exact.numerators[0], exact.divisor);
  const std::string second = fraction(exact.numerators[1], exact.divisor);
  facts.state(first == "-1519/512" && second == "-1557/512",
              "the reference gradient is exactly (" + first + ", " + second + ")");
  const std::vector<double> reference{-1519.0 / 512, -1557.0 / 512};
  const std::vector<double> mean = gradient_of("pmean", problem);
  facts.state(mean == reference, "pmean: all 16 ranks return " +
                                     (mean.empty() ? "?" : pair(mean[0], mean[1])) + ", error 0");
  facts.state(refutation("pmean", problem).empty(), "pmean: PASSED matches_reference");
  const std::vector<double> sum = gradient_of("psum", problem);
  facts.state(sum == std::vector<double>{16 * reference[0], 16 * reference[1]},
              "psum: all 16 ranks return " + (sum.empty() ? "?" : pair(sum[0], sum[1])) +
                  ", exactly 16 times the reference");
  const std::string wrong = refutation("psum", problem);
  facts.state(!wrong.empty() && wrong[0] != '?',
              "psum: FAILED (refuted) matches_reference\n           " + wrong);
}

void leaf_by_leaf(Facts& facts) {
  const Case problem = two_shards(0.5);
  const std::vector<std::vector<double>> parameters(2, problem.model.parameters);
  const StepTruth truth = step_truth(problem, Claim{}, 0, parameters);
  const char* const stated[2][4] = {{"2", "4", "1", "3"}, {"6", "8", "5", "7"}};
  for (std::size_t r = 0; r < 2; ++r) {
    std::string text[4];
    bool holds = true;
    for (std::size_t e = 0; e < 4; ++e) {
      text[e] = fraction(truth.rank_means[r].numerators[e], truth.rank_means[r].divisor);
      holds = holds && text[e] == stated[r][e];
    }
    facts.state(holds, "shard " + std::to_string(r) + ": kernel [[" + text[0] + ", " + text[1] +
                           "]], bias [" + text[2] + ", " + text[3] + "]");
  }
  const std::vector<double> sum = gradient_of("sum", problem);
  facts.state(sum == std::vector<double>{8, 12, 6, 10},
              "summed leaf by leaf: kernel (8, 12), bias (6, 10)");
  const std::vector<double> mean = gradient_of("pmean", problem);
  facts.state(mean == std::vector<double>{4, 6, 3, 5},
              "divided leaf by leaf: kernel (4, 6), bias (3, 5)");
  facts.state(refutation("pmean", problem).empty(), "pmean: PASSED matches_reference");
}

RankResult sgd_step(double learning_rate) {
  const auto problem = std::make_shared<const Case>(two_shards(learning_rate));
  const Outcome outcome = make_subject({.name = "sgd"}, "")->run(problem, Limits{});
  const auto* returned = std::get_if<Returned>(&outcome);
  return returned == nullptr ? RankResult{} : returned->results.front().front();
}

void learning_rates(Facts& facts) {
  const Case problem = two_shards(0.5);
  const std::vector<std::vector<double>> parameters(2, problem.model.parameters);
  const ExactLoss loss = step_truth(problem, Claim{}, 0, parameters).loss.value();
  const std::string exact = fraction(loss.numerator, loss.divisor);
  const RankResult half = sgd_step(0.5);
  const RankResult quarter = sgd_step(0.25);
  const auto weights = [](const RankResult& result) {
    std::vector<double> values;
    if (result.parameters) {
      values.assign(result.parameters->values().begin(), result.parameters->values().end());
    }
    return values;
  };
  facts.state(weights(half) == std::vector<double>{-2, -3, -1.5, -2.5} &&
                  weights(quarter) == std::vector<double>{-1, -1.5, -0.75, -1.25},
              "sgd: lr 0.5 moves kernel to (-2, -3), bias to (-1.5, -2.5); lr 0.25 half as far");
  const double before = loss.numerator.magnitude_down() / static_cast<double>(loss.divisor);
  facts.state(half.loss == before && quarter.loss == before,
              "sgd: both return loss " + exact + ", that of the parameters before the update");
  const std::string wrong = refutation("sum-update", problem, "one_update_per_leaf");
  facts.state(!wrong.empty() && wrong[0] != '?',
              "sum-update: FAILED (refuted) one_update_per_leaf\n           " + wrong);
}

RunResult checked(const std::string& name, const std::string& claim, ReportHeader& header) {
  const std::unique_ptr<Subject> subject = make_subject({.name = std::string(name)}, claim);
  header = {.subject = name,
            .kind = subject->kind(),
            .claim = subject->claim(),
            .seed = 0,
            .brief = true};
  CheckOptions options;
  options.properties = matching_properties("matches_reference");
  options.draw.dtypes = {Dtype::f32};
  options.run.cases = 200;
  return check(*subject, std::move(options));
}

// The claim keeps the smallest counterexample to what the title speaks of.
void condition(Facts& facts, const std::string& title, const std::string& claim,
               const std::string& wrong) {
  std::printf("\n%s\n", title.c_str());
  ReportHeader header;
  const RunResult right = checked("sequential", claim, header);
  facts.state(!right.finding && right.executions > 0,
              "sequential, weighted by valid count: PASSED matches_reference on " +
                  std::to_string(right.cases) + " cases");
  const RunResult refuted = checked(wrong, claim, header);
  facts.state(refuted.finding.has_value(), wrong + ": its smallest counterexample");
  std::fputs(text_report(header, refuted).c_str(), stdout);
}

}  // namespace

int demo() {
  Facts facts;
  sixteen_devices(facts);
  std::puts("\n2. The gradient tree of two shards, summed and divided leaf by leaf");
  leaf_by_leaf(facts);
  learning_rates(facts);
  condition(facts, "3. Unequal shards: the mean of means is not the mean",
            "conditions=equal+unequal,world=2..16", "mean-of-means");
  condition(facts, "4. Masked rows: a padded row must not reach the denominator",
            "conditions=equal+padded,world=2..16", "padded-denominator");
  std::puts(facts.all_hold() ? "\nEverything came out as stated."
                             : "\nNot everything came out as stated.");
  return facts.all_hold() ? kNothingRefuted : kInternal;
}

}  // namespace shardproof::cli
