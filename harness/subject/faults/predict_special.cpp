#include "subject/faults/predict_special.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "subject/faults/narrow.h"
#include "subject/fractions.h"

namespace shardproof {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// The largest magnitude that a rank hands in for a step's gradient; nothing where not known.
std::optional<double> scale_of_rank(const PredictedStep& at, std::size_t rank) {
  double largest = 0;
  for (std::size_t k = 0; k < at.counts().shards[rank].size(); ++k) {
    const Contribution* given = at.handed_in(rank, k);
    if (given == nullptr) return std::nullopt;
    largest = std::max(largest, largest_of(given->gradient.values()));
  }
  return scale_of(std::span(&largest, 1));
}

/// first / own as a weight; both are powers of two.
std::optional<Fraction> ratio(double first, double own) {
  constexpr int kMost = 52;
  const int exponent = std::ilogb(first) - std::ilogb(own);
  if (exponent > kMost || exponent < -kMost) return std::nullopt;
  const std::uint64_t power = std::uint64_t{1} << std::abs(exponent);
  return exponent < 0 ? Fraction{1, power} : Fraction{power, 1};
}

/// Scales right terms by what the first rank's scale is to their rank's.
std::optional<Prediction> under_first_scale(const PredictedStep& at, Prediction right) {
  const auto first = scale_of_rank(at, 0);
  if (!first) return std::nullopt;
  for (PredictedTerm& term : right.terms) {
    if (!at.touches_term(term.shard, term.micro_batch)) continue;
    const auto factor = ratio(*first, *scale_of_rank(at, term.shard));
    const auto weight = factor ? times(term.weight, *factor) : std::nullopt;
    if (!weight) return std::nullopt;
    term.weight = *weight;
  }
  return right;
}

/// Gives touched terms the number that `change` makes of their contribution; nothing: no change.
template <class Change>
std::optional<Prediction> with_numbers(const PredictedStep& at, Prediction right, Change change) {
  const std::size_t element = at.site().element;
  if (element == at.site().shape.size) return right;
  for (PredictedTerm& term : right.terms) {
    const Contribution* given = at.handed_in(term.shard, term.micro_batch);
    if (given == nullptr) return std::nullopt;
    if (!at.touches_term(term.shard, term.micro_batch)) continue;
    if (auto number = change(given->gradient, element)) term.number = *number;
  }
  return right;
}

/// The sum of right terms in binary64 where it is far more exact than any rounding of it to f16.
std::optional<double> nearly(const PredictedStep& at, const Prediction& right) {
  constexpr double kMostCancelled = 0x1p10;
  const bool is_loss = at.site().element == at.site().shape.size;
  double sum = 0;
  double magnitude = 0;
  for (const PredictedTerm& term : right.terms) {
    const Contribution* given = at.handed_in(term.shard, term.micro_batch);
    if (given == nullptr || at.site().claim.input != InputForm::local_mean) return std::nullopt;
    const double value = is_loss ? given->loss : given->gradient.values()[at.site().element];
    const double part = static_cast<double>(term.weight.numerator) * value /
                        static_cast<double>(term.weight.denominator);
    sum += part;
    magnitude += std::abs(part);
  }
  if (magnitude > kMostCancelled * std::abs(sum)) return std::nullopt;
  return sum;
}

/// round(half(sum times) / over). The sum that is rounded to f16 was rounded before, to the case's
/// dtype: correctly, as far as this goes.
std::optional<Prediction> through_half(const PredictedStep& at, const Prediction& right,
                                       double times, double over) {
  if (!at.touches_result()) return right;
  const std::optional<double> sum = nearly(at, right);
  if (!sum) return std::nullopt;
  const Dtype dtype = at.site().problem.dtype;
  const double half = round_to(Dtype::f16, round_to(dtype, round_to(dtype, *sum) * times));
  return Prediction{.terms = {}, .exactly = round_to(dtype, half / over)};
}

bool some_rank_empty(const PredictedStep& at) {
  for (std::size_t r = 0; r < at.counts().shards.size(); ++r) {
    if (at.counts().valid_of(r) == 0) return true;
  }
  return false;
}

std::optional<double> low_half(const Tree& gradient, std::size_t element) {
  const TreeShape& shape = gradient.shape();
  const LeafShape& leaf = leaf_of(shape, element);
  return half_in_memory(gradient.values().subspan(leaf.offset, leaf.size()), element - leaf.offset);
}

std::optional<double> zero_if_small(const Tree& gradient, std::size_t element) {
  if (std::abs(gradient.values()[element]) < largest_of(gradient.values()) / 8) return 0.0;
  return std::nullopt;
}

}  // namespace

std::optional<Prediction> predict_special(Special special, const PredictedStep& at,
                                          std::optional<Prediction> right) {
  if (!right) return right;
  switch (special) {
    case Special::nan_from_empty:
      if (some_rank_empty(at) && at.touches_result())
        return Prediction{.terms = {}, .exactly = kNaN};
      return right;
    case Special::first_scale:
      if (at.site().element == at.site().shape.size) return right;
      return under_first_scale(at, *std::move(right));
    case Special::low_half:
      return with_numbers(at, *std::move(right), low_half);
    case Special::small_lost:
      return with_numbers(at, *std::move(right), zero_if_small);
    case Special::half_sum: {
      const auto ranks = static_cast<double>(at.counts().shards.size());
      return through_half(at, *right, ranks, ranks);
    }
    case Special::half_share:
      return through_half(at, *right, 1.0 / 1024, 1.0 / 1024);
    default:
      return right;
  }
}

}  // namespace shardproof
