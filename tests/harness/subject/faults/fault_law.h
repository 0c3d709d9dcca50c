#pragma once

#include <cmath>
#include <string>

#include "harness/subject/faults/random_fault.h"
#include "judge/predicted.h"
#include "judge/references.h"
#include "shardproof/exact/exact_sum.h"
#include "shardproof/generators/cases.h"
#include "shardproof/subject/per_rank.h"

namespace shardproof {

/// What the law of both sides (NUMERICS amendment 16) found: E and B are the right exact value and
/// bound, E' and B' those of the fault's own prediction.
struct FaultLaw {
  int draws = 0;
  long predicted = 0;    ///< values that were predicted, all of them accepted as such
  long due = 0;          ///< |E' - E| > B + B' + 2h: each was refuted
  long right = 0;        ///< not touched by the fault: none was refuted
  std::string broken{};  ///< the first violation
};

class FaultLawTrial {
 public:
  FaultLawTrial(const Fault& fault, const Trial& trial, FaultLaw& law)
      : fault_(fault),
        trial_(trial),
        law_(law),
        returned_(std::get<Returned>(trial.outcome)),
        predictor_(trial) {}

  void run() {
    const TrialReferences& references = trial_.references();
    for (std::size_t s = 0; s < references.steps.size(); ++s) {
      if (!references.steps[s].unjudged.empty() || references.steps[s].alone.empty()) continue;
      for (std::size_t r = 0; r < returned_.results[s].size(); ++r) {
        for (std::size_t e = 0; e + 1 < references.steps[s].alone.size(); ++e) {
          check(static_cast<int>(s), r, e);
        }
      }
    }
  }

 private:
  void check(int step, std::size_t rank, std::size_t element) {
    const ResultSite site = predictor_.site(step, rank, element);
    const auto prediction = predict(fault_, site);
    const auto right = predict(Fault{}, site);
    if (!prediction || !right || prediction->exactly) return;
    for (const PredictedTerm& term : prediction->terms) {
      if (term.number) return;
    }
    const auto worked_out = predictor_.worked_out(*prediction, step);
    const StepReferences& at = trial_.references().steps[static_cast<std::size_t>(step)];
    const ElementReference& due = at.alone[element];
    if (!worked_out || due.unjudged || due.may_overflow || due.demanded) return;
    const double value =
        returned_.results[static_cast<std::size_t>(step)][rank].gradient.values()[element];
    const ElementJudge judge(due, at.arithmetic, trial_.problem->dtype);
    const bool refuted = judge.rule(value) == ElementJudge::Ruling::refuted;
    const auto broken = [&](const char* what) {
      if (law_.broken.empty()) {
        law_.broken = std::string(what) + ": step " + std::to_string(step) + " rank " +
                      std::to_string(rank) + " element " + std::to_string(element) + " is " +
                      std::to_string(value) + "; " + describe(fault_);
      }
    };
    if (overflows(worked_out->reference)) return;
    ++law_.predicted;
    if (!predictor_.accepts(*worked_out, step, value)) broken("not as predicted");
    if (far(due, worked_out->reference)) {
      ++law_.due;
      if (!refuted) broken("not refuted");
    }
    if (same(*prediction, *right)) {
      ++law_.right;
      if (refuted) broken("refuted although right");
    }
  }

  [[nodiscard]] bool overflows(const ElementReference& reference) const {
    const double most = format(trial_.problem->dtype).largest * 0x1p-10;
    return reference.numerator.magnitude_up() / static_cast<double>(reference.divisor) > most ||
           !std::isfinite(reference.bound);
  }

  /// Whether |E' - E| > B + B' + 2h, with some room for the arithmetic of this test.
  [[nodiscard]] bool far(const ElementReference& right, const ElementReference& wrong) const {
    ExactSum sum;
    sum.add(wrong.numerator, right.divisor);
    sum.add(right.numerator, wrong.divisor, true);
    const double between = sum.total().magnitude_down() / static_cast<double>(right.divisor) /
                           static_cast<double>(wrong.divisor);
    const Dtype dtype = trial_.problem->dtype;
    const double largest =
        (right.numerator.magnitude_up() / static_cast<double>(right.divisor) + right.bound +
         wrong.numerator.magnitude_up() / static_cast<double>(wrong.divisor) + wrong.bound);
    const double rounded = round_to(dtype, largest);
    const double gap = next_up(dtype, rounded) - rounded;
    return between > (right.bound + wrong.bound + 2 * gap) * (1 + 0x1p-40);
  }

  static bool same(const Prediction& a, const Prediction& b) {
    return std::equal(a.terms.begin(), a.terms.end(), b.terms.begin(), b.terms.end(),
                      [](const PredictedTerm& x, const PredictedTerm& y) {
                        return x.step == y.step && x.shard == y.shard &&
                               x.micro_batch == y.micro_batch && x.element == y.element &&
                               x.weight == y.weight;
                      });
  }

  const Fault& fault_;
  const Trial& trial_;
  FaultLaw& law_;
  const Returned& returned_;
  Predictor predictor_;
};

/// So many random faults in random strategies, each on a random case.
inline FaultLaw law_of_faults(std::uint64_t seed, int draws) {
  constexpr int kCasesOfSeed = 120;
  const auto dtypes = all_dtypes();
  const DrawOptions options{.dtypes = {dtypes.begin(), dtypes.end()}, .max_world = 6};
  RandomFaults random(seed);
  FaultLaw law;
  for (; law.draws < draws && law.broken.empty(); ++law.draws) {
    const Planted planted = random.planted();
    const Fault& fault = std::get<Fault>(planted.what);
    const auto claim = std::make_shared<const Claim>(claim_of(planted));
    const auto subject = per_rank("random", *claim, apply(fault, reducers_of(planted.base)));
    const auto problem = std::make_shared<const Case>(
        draw_case(seed, law.draws % kCasesOfSeed, *claim, subject->kind(), options));
    const Trial trial(problem, claim, subject->kind(), subject->run(problem, Limits{}));
    if (!std::holds_alternative<Returned>(trial.outcome)) continue;
    FaultLawTrial(fault, trial, law).run();
    if (!law.broken.empty()) {
      law.broken += "; seed " + std::to_string(seed) + " draw " + std::to_string(law.draws) + ", " +
                    std::string(name(problem->dtype));
    }
  }
  return law;
}

}  // namespace shardproof
