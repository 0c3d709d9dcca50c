#include <fmt/format.h>

#include <cmath>

#include "exact/magnitude.h"
#include "exact/rounding.h"
#include "judge/references.h"
#include "judge/sentence.h"
#include "judge/steps.h"
#include "judge/update.h"
#include "judge/whole_gradient.h"
#include "shardproof/exact/exact_sum.h"
#include "shardproof/exact/rational.h"
#include "shardproof/judge/judge.h"

namespace shardproof {
namespace {

/// One parameter before and after, and the gradient that should have moved it.
struct Move {
  double before = 0;
  double after = 0;
  double learning_rate = 0;
  const ElementReference& gradient;
};

/// (value - (before - lr E)) * divisor
ExactSum off_by(const Move& move, double value) {
  ExactSum sum;
  sum.add(value, move.gradient.divisor);
  sum.add(-move.before, move.gradient.divisor);
  sum.add_product(move.learning_rate, move.gradient.numerator);
  return sum;
}

/// (before - lr E) * divisor
ExactSum due(const Move& move) {
  ExactSum sum;
  sum.add(move.before, move.gradient.divisor);
  sum.add_product(-move.learning_rate, move.gradient.numerator);
  return sum;
}

/// What the product lr g, and lr times the gradient's own last rounding, may lose by underflow.
Magnitude lost_by_underflow(double learning_rate, const RoundingConstants& c,
                            const Arithmetic& arithmetic, Dtype dtype) {
  const Magnitude once =
      arithmetic.flush ? Magnitude{2 * format(dtype).smallest_normal} : c.underflow;
  return once + Magnitude{learning_rate} * once;
}

/// lr B + v lr (|E| + B) + om/2 + 3 u lr |E| (NUMERICS amendment 12), B with the gradient's last
/// rounding; half a gap is added on the spot.
double allowance(const Move& move, const RoundingConstants& c, const Arithmetic& arithmetic,
                 Dtype dtype) {
  const Magnitude lr{move.learning_rate};
  const Magnitude size = Magnitude{move.gradient.numerator.magnitude_up()} /
                         static_cast<double>(move.gradient.divisor);
  const Magnitude bound{move.gradient.bound};
  const Magnitude lost = lost_by_underflow(move.learning_rate, c, arithmetic, dtype);
  return (lr * bound + Magnitude{2.0} * c.u * lr * (size + bound) + lost +
          Magnitude{3.0} * c.u * lr * size)
      .value();
}

bool may_overflow(const Move& move, Dtype dtype) {
  const Magnitude size = Magnitude{move.gradient.numerator.magnitude_up()} /
                         static_cast<double>(move.gradient.divisor);
  const Magnitude reach = Magnitude{move.learning_rate} * (size + Magnitude{move.gradient.bound}) +
                          Magnitude{std::abs(move.before)};
  return !((Magnitude{4.0} * reach).value() <= format(dtype).largest);
}

enum class Ruling { right, wrong, undecided };

class UpdateJudge {
 public:
  UpdateJudge(const Trial& trial, const Arithmetic& arithmetic)
      : trial_(trial),
        arithmetic_(arithmetic),
        dtype_(trial.problem->dtype),
        constants_(rounding_constants(coarser(dtype_, output_dtype(trial)), arithmetic.faithful)) {}

  [[nodiscard]] Ruling rule(const Move& move) const {
    if (move.gradient.unjudged || move.gradient.demanded || std::isinf(move.gradient.bound) ||
        may_overflow(move, dtype_)) {
      return Ruling::undecided;
    }
    if (!std::isfinite(move.after)) return Ruling::wrong;
    ExactSum sum = off_by(move, move.after);
    const int side = sum.sign();
    if (side == 0) return Ruling::right;
    sum.add(-side * allowance(move, constants_, arithmetic_, dtype_), move.gradient.divisor);
    sum.add(-side * last_rounding(arithmetic_, dtype_, move.after, side < 0),
            move.gradient.divisor);
    return sum.sign() == side ? Ruling::wrong : Ruling::right;
  }

  /// Under the claim that the update uses exactly the returned gradient.
  [[nodiscard]] Ruling rule_strictly(const Move& move, double returned) const {
    if (!std::isfinite(returned)) return Ruling::undecided;
    const ElementReference exact{.numerator = Dyadic(returned)};
    const Move strict{move.before, move.after, move.learning_rate, exact};
    if (may_overflow(strict, dtype_)) return Ruling::undecided;
    if (!std::isfinite(move.after)) return Ruling::wrong;
    ExactSum sum = off_by(strict, move.after);
    const int side = sum.sign();
    if (side == 0) return Ruling::right;
    const Magnitude product = Magnitude{move.learning_rate} * Magnitude{std::abs(returned)};
    const Magnitude lost = lost_by_underflow(move.learning_rate, constants_, arithmetic_, dtype_);
    sum.add(-side * (constants_.u * product + lost).value());
    sum.add(-side * last_rounding(arithmetic_, dtype_, move.after, side < 0));
    return sum.sign() == side ? Ruling::wrong : Ruling::right;
  }

  [[nodiscard]] Failure failure(const Move& move, std::size_t step, std::size_t rank,
                                std::size_t element, bool strict) const {
    Failure result;
    result.kind = FailureKind::wrong_update;
    result.step = static_cast<int>(step);
    result.rank = Rank{static_cast<int>(rank)};
    result.element = element_name(*tree_shape(trial_.problem->model), element);
    result.returned = move.after;
    result.basis = strict ? "from the returned gradient" : "end to end, from the rows";
    result.exact = readable(due(move).total(), move.gradient.divisor);
    result.sentence = fmt::format(
        "step {}, {}: rank {} moved it from {} to {}; one update with learning rate {} and the {} "
        "gives {}",
        step, result.element, rank, shortest(dtype_, move.before), shortest(dtype_, move.after),
        shortest(dtype_, move.learning_rate), strict ? "returned gradient" : "exact gradient",
        result.exact);
    return result;
  }

 private:
  const Trial& trial_;
  const Arithmetic& arithmetic_;
  Dtype dtype_;
  RoundingConstants constants_;
};

/// Judges every parameter of one rank after one step.
std::optional<Failure> rank_failure(const Trial& trial, const StepReferences& references,
                                    const WholeGradient& gradient, std::size_t step,
                                    std::size_t rank, bool& judged) {
  const RankResult& result = std::get<Returned>(trial.outcome).results[step][rank];
  const UpdateJudge judge(trial, references.arithmetic);
  const std::span<const double> after = result.parameters->values();
  for (std::size_t e = 0; e < after.size(); ++e) {
    const Move move{references.parameters[rank][e], after[e], trial.problem->learning_rate,
                    references.end_to_end[e]};
    const Ruling ruling = judge.rule(move);
    if (ruling == Ruling::wrong) return judge.failure(move, step, rank, e, false);
    judged = judged || ruling == Ruling::right;
    if (trial.claim->update != Update::from_returned) continue;
    const double returned = gradient.of_rank(rank)[e];
    if (judge.rule_strictly(move, returned) == Ruling::wrong) {
      const ElementReference exact{.numerator = Dyadic(returned)};
      return judge.failure({move.before, move.after, move.learning_rate, exact}, step, rank, e,
                           true);
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<bool> is_wrong_update(const Trial& trial, const Arithmetic& arithmetic,
                                    const ElementReference& gradient, const Moved& moved) {
  const Move move{moved.before, moved.after, trial.problem->learning_rate, gradient};
  const Ruling ruling = UpdateJudge(trial, arithmetic).rule(move);
  if (ruling == Ruling::undecided) return std::nullopt;
  return ruling == Ruling::wrong;
}

Verdict judge_update(const Trial& trial) {
  const Returned* returned = std::get_if<Returned>(&trial.outcome);
  if (returned == nullptr || trial.kind != SubjectKind::train_step) return NotApplicable{kNoResult};
  const TrialReferences& references = trial.references();
  bool judged = false;
  for (std::size_t s = 0; s < references.steps.size(); ++s) {
    if (!references.steps[s].unjudged.empty()) continue;
    // Later steps start from master weights that nobody returns (NUMERICS amendment 12).
    if (s > 0 && trial.claim->master) break;
    const WholeGradient gradient(trial, s);
    for (std::size_t r = 0; r < returned->results[s].size(); ++r) {
      auto failure = rank_failure(trial, references.steps[s], gradient, s, r, judged);
      if (failure) return *std::move(failure);
    }
  }
  if (judged) return Consistent{};
  return NotApplicable{"overflow is possible, or no step has a valid row"};
}

}  // namespace shardproof
