#include "shardproof/judge/leaf.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "judge/alone.h"
#include "judge/element.h"
#include "judge/leaf_sums.h"
#include "judge/sentence.h"
#include "shardproof/exact/exact_sum.h"
#include "shardproof/exact/rational.h"
#include "shardproof/judge/arithmetic.h"

namespace shardproof {
namespace {

using Elements = std::vector<std::size_t>;

SharedShape one_leaf(std::size_t size) {
  TreeShape shape;
  shape.leaves.push_back({.name = "leaf", .columns = static_cast<int>(size)});
  shape.size = size;
  return std::make_shared<const TreeShape>(std::move(shape));
}

/// The exact judge of some elements of a leaf.
class ExactLeaf {
 public:
  ExactLeaf(const SharedCase& problem, const Claim& claim, const Weights& weights,
            const LeafValues& values, const Elements& elements)
      : trial_(problem, std::make_shared<const Claim>(claim), SubjectKind::reducer, Returned{}),
        arithmetic_(arithmetic_of(claim, *problem, problem->steps.front())) {
    const StepOfTrial at{trial_, 0, weights, weights, arithmetic_, {}};
    references_ = references_from_contributions(at, gathered(values, elements));
  }

  [[nodiscard]] ElementJudge judge(std::size_t index) const {
    return {references_[index], arithmetic_, output_dtype(trial_)};
  }

  /// |value - E| / (B + h), rounded up.
  [[nodiscard]] double share(std::size_t index, double value) const {
    const ElementReference& reference = references_[index];
    if (std::isinf(reference.bound)) return 0;
    ExactSum away;
    away.add(value, reference.divisor);
    away.add(reference.numerator, 1, true);
    const int side = away.sign();
    if (side == 0) return 0;
    const double half_gap = last_rounding(arithmetic_, output_dtype(trial_), value, side < 0);
    const double distance = away.total().magnitude_up() / static_cast<double>(reference.divisor);
    return distance / (reference.bound + half_gap);
  }

  [[nodiscard]] const ElementReference& reference(std::size_t index) const {
    return references_[index];
  }

  [[nodiscard]] Failure failure(std::size_t index, double value, std::size_t element) const {
    Place place;
    place.every_rank = true;
    place.element = "leaf[" + std::to_string(element) + "]";
    place.basis = "the reducer alone, from its inputs";
    return refuted_element(place, references_[index], judge(index), value, trial_);
  }

 private:
  [[nodiscard]] std::vector<std::vector<Contribution>> gathered(const LeafValues& values,
                                                                const Elements& elements) const {
    const SharedShape shape = one_leaf(elements.size());
    const Step& step = trial_.problem->steps.front();
    std::vector<std::vector<Contribution>> contributions(values.size());
    for (std::size_t r = 0; r < values.size(); ++r) {
      for (std::size_t m = 0; m < values[r].size(); ++m) {
        Contribution& c = contributions[r].emplace_back();
        std::vector<double> picked;
        for (std::size_t e : elements) picked.push_back(values[r][m][e]);
        c.gradient = Tree(shape, std::move(picked));
        c.valid = step.shards[r].micro_batches[m].valid();
      }
    }
    return contributions;
  }

  Trial trial_;
  Arithmetic arithmetic_;
  std::vector<ElementReference> references_;
};

void count(LeafRulings& rulings, ElementJudge::Ruling ruling, std::size_t element) {
  switch (ruling) {
    case ElementJudge::Ruling::accepted:
      ++rulings.accepted;
      return;
    case ElementJudge::Ruling::undecided:
      ++rulings.undecided;
      return;
    case ElementJudge::Ruling::refuted:
      if (rulings.refuted++ == 0) rulings.first_refuted = element;
  }
}

/// [number of terms], filled in where that number occurs.
std::vector<Allowance> allowances(const Arithmetic& arithmetic, bool one_sign,
                                  std::span<const std::int32_t> terms) {
  std::vector<Allowance> allowed;
  std::vector<bool> known;
  std::int32_t before = -1;
  for (const std::int32_t n : terms) {
    if (n == before) continue;
    before = n;
    const auto at = static_cast<std::size_t>(n);
    if (at >= allowed.size()) {
      allowed.resize(at + 1);
      known.resize(at + 1);
    }
    if (!known[at]) allowed[at] = allowance_of(arithmetic, one_sign, n);
    known[at] = true;
  }
  return allowed;
}

/// The shares of a leaf under a claim; more than 1 where the exact judge has to decide.
std::vector<double> shares(const LeafSums& sums, const SharedCase& problem, const Claim& claim,
                           std::span<const double> returned) {
  std::vector<double> share(returned.size(), 2);
  if (!sums.covered) return share;
  const Arithmetic arithmetic = arithmetic_of(claim, *problem, problem->steps.front());
  std::span<const std::int32_t> terms = arithmetic.tree ? sums.terms : sums.touched;
  std::vector<std::int32_t> ranks;
  // The errors of the ranks' own means come on top of what is counted here; so do their signs.
  const bool running_mean = claim.accumulation == Accumulation::running_mean;
  if (running_mean) {
    const auto& shards = problem->steps.front().shards;
    const auto filled =
        std::ranges::count_if(shards, [](const Shard& shard) { return shard.valid().value > 0; });
    ranks.assign(returned.size(), static_cast<std::int32_t>(filled));
    terms = ranks;
  }
  filter_leaf(sums, allowances(arithmetic, running_mean, terms), terms,
              role_dtypes(claim, problem->dtype).output, returned, share);
  return share;
}

/// Whether the exact judge leaves a result that is not finite undecided: the terms are finite, and
/// four times the sum of their sizes, each times its rows, may overflow. Here that sum is below the
/// true one, there above it.
bool overflow_is_possible(const LeafSums& sums, const LeafValues& values, std::size_t element,
                          double largest) {
  double reach = 0;
  for (std::size_t r = 0; r < values.size(); ++r) {
    for (std::size_t m = 0; m < values[r].size(); ++m) {
      const double value = std::abs(values[r][m][element]);
      if (sums.weights.weight[r][m] == 0) continue;
      reach += value * sums.rows[r][m];
    }
  }
  return std::isfinite(reach) && 4 * reach * (1 - 0x1p-38) > largest;
}

/// Each sum rounded up by more than its divisions can lose.
TermSums term_sums(const LeafSums& sums, const LeafValues& values, std::size_t element) {
  ExactSum sum;
  TermSums all;
  for (std::size_t r = 0; r < values.size(); ++r) {
    for (std::size_t m = 0; m < values[r].size(); ++m) {
      const double value = values[r][m][element];
      const std::uint64_t weight = sums.weights.weight[r][m];
      sum.add(value, weight);
      all.terms += value != 0 && weight != 0 ? 1 : 0;
    }
  }
  const double divisor = static_cast<double>(sums.weights.divisor) * (1 - 0x1p-50);
  all.positive = sum.positive_up() / divisor;
  all.negative = sum.negative_up() / divisor;
  all.total = sum.total().magnitude_up() / divisor;
  return all;
}

}  // namespace

LeafJudge::LeafJudge(SharedCase problem, LeafValues values)
    : problem_(std::move(problem)),
      values_(std::move(values)),
      elements_(values_.front().front().size()) {}

LeafJudge::~LeafJudge() = default;

const LeafSums* LeafJudge::sums_for(const Claim& claim) const {
  std::optional<Weights> weights = contribution_weights(claim, problem_->steps.front());
  if (!weights) return nullptr;
  for (const auto& known : sums_) {
    if (known->weights.weight == weights->weight && known->weights.divisor == weights->divisor) {
      return known.get();
    }
  }
  sums_.push_back(std::make_unique<LeafSums>(leaf_sums(*std::move(weights), values_)));
  for (const Shard& shard : problem_->steps.front().shards) {
    std::vector<double>& rows = sums_.back()->rows.emplace_back();
    for (const MicroBatch& batch : shard.micro_batches) {
      rows.push_back(static_cast<double>(batch.valid().value));
    }
  }
  return sums_.back().get();
}

LeafRulings LeafJudge::judge(const Claim& claim, std::span<const double> returned,
                             double tightest) const {
  LeafRulings rulings;
  const LeafSums* const known = sums_for(claim);
  if (known == nullptr) {
    rulings.undecided = static_cast<std::int64_t>(elements_);
    return rulings;
  }
  const LeafSums& sums = *known;
  const std::vector<double> share = shares(sums, problem_, claim, returned);
  const double largest = largest_value(claim, *problem_);
  Elements exactly;
  std::size_t nearest = elements_;  // of those that the filter accepted
  for (std::size_t e = 0; e < elements_; ++e) {
    if (share[e] > 1) {
      const bool lost = !std::isfinite(returned[e]) && sums.covered &&
                        overflow_is_possible(sums, values_, e, largest);
      if (lost) {
        ++rulings.undecided;
      } else {
        exactly.push_back(e);
      }
      continue;
    }
    ++rulings.accepted;
    if (share[e] > tightest && (nearest == elements_ || share[e] > share[nearest])) nearest = e;
  }
  rulings.exactly = static_cast<std::int64_t>(exactly.size());
  const std::size_t decided = exactly.size();
  if (nearest != elements_) exactly.push_back(nearest);
  if (exactly.empty()) return rulings;
  const ExactLeaf exact(problem_, claim, sums.weights, values_, exactly);
  for (std::size_t i = 0; i < exactly.size(); ++i) {
    const double value = returned[exactly[i]];
    const ElementJudge::Ruling ruling = exact.judge(i).rule(value);
    if (i < decided) count(rulings, ruling, exactly[i]);
    if (ruling != ElementJudge::Ruling::accepted || !std::isfinite(value)) continue;
    rulings.tightest = std::max(rulings.tightest, exact.share(i, value));
  }
  return rulings;
}

Failure LeafJudge::failure(const Claim& claim, std::size_t element, double value) const {
  const ExactLeaf exact(problem_, claim, sums_for(claim)->weights, values_, {element});
  return exact.failure(0, value, element);
}

std::optional<ElementLimits> LeafJudge::limits(const Claim& claim, std::size_t element) const {
  const LeafSums* const known = sums_for(claim);
  if (known == nullptr) return std::nullopt;
  const ExactLeaf exact(problem_, claim, known->weights, values_, {element});
  const ElementReference& reference = exact.reference(0);
  if (reference.unjudged || reference.demanded) return std::nullopt;
  ElementLimits limits;
  const auto divisor = static_cast<double>(reference.divisor);
  const double size = reference.numerator.magnitude_up() / divisor;
  limits.about = reference.numerator.negative() ? -size : size;
  limits.exact = fraction(reference.numerator, reference.divisor);
  limits.sums = term_sums(*known, values_, element);
  limits.bound = reference.bound;
  limits.may_overflow = reference.may_overflow;
  const double most = format(role_dtypes(claim, problem_->dtype).output).largest;
  const ElementJudge judge = exact.judge(0);
  const auto furthest = [&](double towards) {
    const bool refuted = judge.rule(towards) == ElementJudge::Ruling::refuted;
    return refuted ? judge.limit_towards(towards) : towards;
  };
  limits.lowest = furthest(-most);
  limits.highest = furthest(most);
  return limits;
}

}  // namespace shardproof
