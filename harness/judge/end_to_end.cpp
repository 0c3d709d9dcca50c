#include "judge/end_to_end.h"

#include <algorithm>

#include "exact/magnitude.h"
#include "judge/local.h"
#include "judge/terms.h"
#include "shardproof/exact/exact_sum.h"
#include "shardproof/judge/arithmetic.h"
#include "shardproof/subject/local_gradient.h"

namespace shardproof {
namespace {

/// Exact numerators of the whole step: tree elements, then the loss.
std::vector<ElementReference> exact_references(const StepOfTrial& at) {
  ExactTree tree = expected_gradient(at.rows, at.problem(), at.index, at.parameters);
  ExactLoss loss = expected_loss(at.rows, at.problem(), at.index, at.parameters);
  std::vector<ElementReference> references;
  references.reserve(tree.numerators.size() + 1);
  for (Dyadic& numerator : tree.numerators) {
    references.push_back({.numerator = std::move(numerator), .divisor = tree.divisor});
  }
  references.push_back({.numerator = std::move(loss.numerator), .divisor = loss.divisor});
  return references;
}

double local_error(const LocalBound& bound, std::size_t element) {
  return element < bound.gradient.size() ? bound.gradient[element] : bound.loss;
}

/// sum_rm w_rm beta_rm of one element, or infinity where some beta is.
Magnitude weighted_local_error(const StepOfTrial& at, const LocalBounds& local,
                               std::size_t element) {
  Magnitude error;
  for (std::size_t r = 0; r < local.size(); ++r) {
    for (std::size_t m = 0; m < local[r].size(); ++m) {
      error += Magnitude{static_cast<double>(at.handed_in.weight[r][m])} *
               Magnitude{local_error(local[r][m], element)};
    }
  }
  return error / static_cast<double>(at.handed_in.divisor);
}

bool any_overflow(const LocalBounds& local) {
  return std::any_of(local.begin(), local.end(), [](const std::vector<LocalBound>& shard) {
    return std::any_of(shard.begin(), shard.end(),
                       [](const LocalBound& bound) { return bound.may_overflow; });
  });
}

/// Exact numerators group by group, so that the reduction's terms are known: [shard][micro-batch].
struct GroupValues {
  std::vector<Dyadic> numerators;  // tree elements, then the loss; over the step's row divisor
};

GroupValues values_of_group(const StepOfTrial& at, std::size_t r, std::size_t m) {
  const WeightedRows group{&at.micro_batch(r, m), at.parameters[r], at.rows.weight[r][m]};
  GroupValues values;
  values.numerators = exact_gradient(at.problem().model, {&group, 1}, at.rows.divisor).numerators;
  values.numerators.push_back(
      exact_loss(at.problem().model, {&group, 1}, at.rows.divisor).numerator);
  return values;
}

/// Local gradients, each off by at most its bound, then a reduction over them (amendment 9).
class TrainStepReference {
 public:
  TrainStepReference(const StepOfTrial& at, const LocalBounds& local) : at_(at), local_(local) {
    for (std::size_t r = 0; r < at.step().shards.size(); ++r) {
      std::vector<GroupValues>& shard = groups_.emplace_back();
      for (std::size_t m = 0; m < at.step().shards[r].micro_batches.size(); ++m) {
        shard.push_back(values_of_group(at, r, m));
      }
    }
    for (const Shard& shard : at.step().shards) {
      if (shard.valid().value > 0) terms_.add_rank(shard.micro_batches.size());
      for (const MicroBatch& rows : shard.micro_batches) {
        if (rows.valid().value > 0) terms_.add_term();
      }
    }
  }

  [[nodiscard]] double bound(std::size_t element) const {
    const Magnitude local = weighted_local_error(at_, local_, element);
    const Magnitude reduced = bound_of_reduction(
        at_, [&] { return bound_of_sum(element, local); },
        [&](std::size_t r, std::size_t m) { return group_magnitude(r, m, element); });
    return (local + reduced).value();
  }

  /// Whether a sum that is not divided yet may leave the range of a format on the way.
  [[nodiscard]] bool may_overflow(std::size_t element, double largest) const {
    ExactSum sum;
    for (const std::vector<GroupValues>& shard : groups_) {
      for (const GroupValues& group : shard) sum.add(group.numerators[element]);
    }
    const Magnitude raw = Magnitude{sum.positive_up()} + Magnitude{sum.negative_up()};
    const Magnitude off = weighted_local_error(at_, local_, element) *
                          Magnitude{static_cast<double>(at_.step().valid().value)};
    return !((Magnitude{4.0} * (raw + off)).value() <= largest);
  }

 private:
  [[nodiscard]] double bound_of_sum(std::size_t element, Magnitude local) const {
    ExactSum sum;
    for (const std::vector<GroupValues>& shard : groups_) {
      for (const GroupValues& group : shard) sum.add(group.numerators[element]);
    }
    const auto divisor = static_cast<double>(at_.rows.divisor);
    TermSums sums;
    sums.positive = (Magnitude{sum.positive_up()} / divisor + local).value();
    sums.negative = (Magnitude{sum.negative_up()} / divisor + local).value();
    sums.total = (Magnitude{sum.total().magnitude_up()} / divisor + local).value();
    sums.terms = terms_.terms(at_.arithmetic.tree);
    return reduction_bound(at_.arithmetic, sums);
  }

  /// |g| of a micro-batch's own mean, its error included.
  [[nodiscard]] double group_magnitude(std::size_t r, std::size_t m, std::size_t element) const {
    const std::uint64_t weight = at_.handed_in.weight[r][m];
    if (weight == 0) return 0;
    const Magnitude weighted = Magnitude{groups_[r][m].numerators[element].magnitude_up()} /
                               static_cast<double>(at_.rows.divisor);
    const Magnitude scaled = weighted * Magnitude{static_cast<double>(at_.handed_in.divisor)};
    return (scaled / static_cast<double>(weight) + Magnitude{local_error(local_[r][m], element)})
        .value();
  }

  const StepOfTrial& at_;
  const LocalBounds& local_;
  std::vector<std::vector<GroupValues>> groups_;
  TermCount terms_;
};

}  // namespace

std::vector<ElementReference> references_of_reducer(const StepOfTrial& at,
                                                    const std::vector<ElementReference>& alone) {
  const LocalBounds local = local_bounds(at, at.claim().input);
  const bool overflow = any_overflow(local);
  std::vector<ElementReference> references = exact_references(at);
  for (std::size_t e = 0; e < references.size(); ++e) {
    references[e].bound = (Magnitude{alone[e].bound} + weighted_local_error(at, local, e)).value();
    references[e].may_overflow = alone[e].may_overflow || overflow;
    // Contributions that may have overflowed bound nothing; what the reducer makes of them is
    // judged alone.
    references[e].unjudged = overflow || alone[e].unjudged || alone[e].demanded.has_value();
  }
  return references;
}

std::vector<ElementReference> references_of_train_step(const StepOfTrial& at) {
  const LocalBounds local = local_bounds(at, at.claim().input);
  const TrainStepReference reduced(at, local);
  const bool one_sum = at.claim().target == Target::weighted_mean;
  const LocalBound all_rows =
      bound_over_all_rows(at, kLocalScaleRoundings + at.arithmetic.roundings);
  const bool overflow = any_overflow(local) || all_rows.may_overflow;
  const double largest = largest_value(at.claim(), at.problem());
  const bool flushed = at.arithmetic.flush && !certainly_normal(at);
  std::vector<ElementReference> references = exact_references(at);
  for (std::size_t e = 0; e < references.size(); ++e) {
    references[e].bound = reduced.bound(e);
    if (one_sum) references[e].bound = std::max(references[e].bound, local_error(all_rows, e));
    references[e].may_overflow = overflow || reduced.may_overflow(e, largest);
    references[e].unjudged = flushed || references[e].may_overflow;
  }
  return references;
}

}  // namespace shardproof
