#include "judge/predicted.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "exact/magnitude.h"
#include "shardproof/judge/arithmetic.h"
#include "subject/fractions.h"

namespace shardproof {
namespace {

constexpr int kMoreRoundings = 4;  // of a mistaken reducer, beyond those of its claim
constexpr int kRoundingsOfMeans =
    8;  // of each term of a running mean, of the size of what it holds
constexpr double kOffByDivision = 0x1p-50;  // of weights that do not fit a common divisor

/// A term that is not zero.
struct Term {
  const PredictedTerm& predicted;
  ExactMean mean;
  std::optional<Fraction> factor;  // of what was summed; nothing where it does not fit

  [[nodiscard]] double approximate() const {
    const Fraction& w = predicted.weight;
    return static_cast<double>(w.numerator) / static_cast<double>(w.denominator) *
           (static_cast<double>(mean.factor.numerator) /
            static_cast<double>(mean.factor.denominator));
  }
};

void add_exactly(ExactSum& sum, const Term& term, std::uint64_t weight) {
  if (term.mean.rows != nullptr) {
    sum.add(*term.mean.rows, weight);
  } else {
    sum.add(term.mean.handed_in, weight);
  }
}

void add_approximately(ExactSum& sum, const Term& term) {
  if (term.mean.rows != nullptr) {
    sum.add_product(term.approximate(), *term.mean.rows);
  } else {
    sum.add_product(term.approximate(), term.mean.handed_in);
  }
}

bool is_zero(const ExactMean& mean) {
  return mean.rows != nullptr ? mean.rows->zero() && mean.error == 0 : mean.handed_in == 0;
}

/// The terms of one prediction, added up.
class Sum {
 public:
  Sum(const ExactMeans& means, const Prediction& prediction) : means_(means) {
    for (const PredictedTerm& term : prediction.terms) add(term);
  }

  [[nodiscard]] bool is_finite() const { return finite_; }
  [[nodiscard]] bool is_nan() const { return nan_; }

  ElementReference reference(const Arithmetic& arithmetic) {
    ElementReference reference;
    ExactSum sum;
    Magnitude off;
    if (const std::optional<std::uint64_t> divisor = common_divisor()) {
      reference.divisor = *divisor;
      for (const Term& term : terms_) {
        add_exactly(sum, term, term.factor->numerator * (*divisor / term.factor->denominator));
      }
    } else {
      for (const Term& term : terms_) add_approximately(sum, term);
      off =
          Magnitude{kOffByDivision} * (Magnitude{sum.positive_up()} + Magnitude{sum.negative_up()});
    }
    reference.numerator = sum.total();
    reference.bound =
        (off + bound(arithmetic, sum, static_cast<double>(reference.divisor))).value();
    return reference;
  }

 private:
  void add(const PredictedTerm& term) {
    if (term.weight.numerator == 0) return;
    if (term.weight.denominator == 0) finite_ = false;
    const std::optional<ExactMean> mean =
        term.number ? ExactMean{.handed_in = *term.number, .factor = {1, 1}}
                    : means_.mean(term.step, term.shard, term.micro_batch, term.element);
    if (!mean) return;  // no row, and so nothing to add
    touched_.push_back(term.shard);
    if (is_zero(*mean)) return;
    if (mean->rows == nullptr && !std::isfinite(mean->handed_in)) {
      finite_ = false;
      nan_ = nan_ || std::isnan(mean->handed_in);
      return;
    }
    terms_.push_back({term, *mean, times(term.weight, mean->factor)});
  }

  [[nodiscard]] std::optional<std::uint64_t> common_divisor() const {
    std::uint64_t divisor = 1;
    for (const Term& term : terms_) {
      if (!term.factor) return std::nullopt;
      divisor = common_multiple(divisor, term.factor->denominator);
      if (divisor == 0) return std::nullopt;
    }
    const bool fits = std::ranges::all_of(terms_, [&](const Term& term) {
      return term.factor->numerator <= kLargestWeight / (divisor / term.factor->denominator);
    });
    return fits ? std::optional(divisor) : std::nullopt;
  }

  /// Zeros of a rank with other terms are touched by the roundings of a running mean.
  [[nodiscard]] std::int64_t touched_terms() const {
    return std::ranges::count_if(touched_, [&](std::size_t shard) {
      return std::ranges::any_of(terms_,
                                 [&](const Term& term) { return term.predicted.shard == shard; });
    });
  }

  [[nodiscard]] Magnitude error_of_means() const {
    Magnitude error;
    double excess = 0;  // the largest weight, over what is due to that micro-batch
    for (const Term& term : terms_) {
      if (term.mean.rows == nullptr) continue;
      const PredictedTerm& of = term.predicted;
      const Step& step = means_.trial().problem->steps[static_cast<std::size_t>(of.step)];
      const auto valid =
          static_cast<double>(step.shards[of.shard].micro_batches[of.micro_batch].valid().value);
      const double weight =
          static_cast<double>(of.weight.numerator) / static_cast<double>(of.weight.denominator);
      error += Magnitude{weight} * Magnitude{term.mean.error};
      excess = std::max(excess, weight * static_cast<double>(step.valid().value) / valid);
    }
    if (terms_.empty() || excess == 0) return error;
    const PredictedTerm& first = terms_.front().predicted;
    return std::max(
        error, Magnitude{excess} * Magnitude{means_.error_of_one_sum(first.step, first.element)});
  }

  [[nodiscard]] Magnitude bound(const Arithmetic& arithmetic, const ExactSum& sum,
                                double divisor) const {
    const Magnitude local = error_of_means();
    TermSums sums;
    sums.positive = (Magnitude{sum.positive_up()} / divisor + local).value();
    sums.negative = (Magnitude{sum.negative_up()} / divisor + local).value();
    sums.total = (Magnitude{sum.total().magnitude_up()} / divisor + local).value();
    sums.terms = touched_terms();
    return local + Magnitude{reduction_bound(arithmetic, sums)};
  }

  const ExactMeans& means_;
  std::vector<Term> terms_;
  std::vector<std::size_t> touched_;  // the shard of every term with rows and a weight
  bool finite_ = true;
  bool nan_ = false;
};

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace

Predictor::Predictor(const Trial& trial, bool after_update) : means_(trial, after_update) {
  for (std::size_t s = 0; s < trial.problem->steps.size(); ++s) {
    arithmetic_.push_back(loose_arithmetic(static_cast<int>(s)));
  }
}

Arithmetic Predictor::loose_arithmetic(int step) const {
  const Claim& claim = *trial().claim;
  const Step& rows = trial().problem->steps[static_cast<std::size_t>(step)];
  Arithmetic arithmetic = arithmetic_of(claim, *trial().problem, rows);
  arithmetic.tree = false;
  arithmetic.roundings += kMoreRoundings;
  const bool running_means =
      claim.accumulation == Accumulation::running_mean ||
      (claim.summation == Summation::any && !claim.roundings && rows.micro_batches() > 1);
  if (running_means) arithmetic.roundings += kRoundingsOfMeans * rows.micro_batches();
  return arithmetic;
}

ResultSite Predictor::site(int step, std::size_t rank, std::size_t element) const {
  const Returned& returned = means_.returned();
  return {.problem = *trial().problem,
          .claim = *trial().claim,
          .shape = *means_.shape(),
          .contributions = trial().kind == SubjectKind::reducer ? &returned.contributions : nullptr,
          .step = step,
          .rank = rank,
          .element = element};
}

std::optional<PredictedElement> Predictor::worked_out(const Prediction& prediction,
                                                      int step) const {
  if (prediction.exactly) return PredictedElement{.reference = {}, .exactly = prediction.exactly};
  Sum sum(means_, prediction);
  if (sum.is_nan()) {
    return PredictedElement{.reference = {}, .exactly = std::numeric_limits<double>::quiet_NaN()};
  }
  if (!sum.is_finite()) return std::nullopt;
  return PredictedElement{sum.reference(arithmetic_[static_cast<std::size_t>(step)])};
}

bool Predictor::accepts(const PredictedElement& predicted, int step, double value) const {
  if (predicted.exactly) return same(*predicted.exactly, value);
  const ElementReference& reference = predicted.reference;
  const Dtype output = output_dtype(trial());
  if (std::isfinite(value)) {
    const ElementJudge judge(reference, arithmetic_[static_cast<std::size_t>(step)], output);
    return judge.rule(value) == ElementJudge::Ruling::accepted;
  }
  // An infinity where what is predicted may lie beyond the range.
  const Magnitude reach =
      Magnitude{reference.numerator.magnitude_up()} / static_cast<double>(reference.divisor) +
      Magnitude{reference.bound};
  return !std::isnan(value) && std::signbit(value) == reference.numerator.negative() &&
         reach.value() >= largest_value(*trial().claim, *trial().problem);
}

bool Predictor::accepts_update(const PredictedElement& predicted, int step,
                               const Moved& moved) const {
  if (predicted.exactly) return false;
  const Arithmetic& arithmetic = arithmetic_[static_cast<std::size_t>(step)];
  ElementReference gradient = predicted.reference;
  // A parameter that is moved in several steps is rounded in between.
  const Magnitude rounded{last_rounding(arithmetic, trial().problem->dtype,
                                        std::max(std::abs(moved.before), std::abs(moved.after)),
                                        true)};
  if (!gradient.numerator.zero()) {
    gradient.bound = (Magnitude{gradient.bound} + rounded / trial().problem->learning_rate).value();
  }
  return is_wrong_update(trial(), arithmetic, gradient, moved) == false;
}

}  // namespace shardproof
