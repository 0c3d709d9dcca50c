#include "judge/alone.h"

#include <cmath>
#include <limits>

#include "exact/magnitude.h"
#include "judge/terms.h"
#include "shardproof/exact/exact_sum.h"
#include "shardproof/judge/arithmetic.h"

namespace shardproof {
namespace {

using Contributions = std::vector<std::vector<Contribution>>;

double value_of(const Contribution& contribution, std::size_t element) {
  const std::span<const double> values = contribution.gradient.values();
  return element < values.size() ? values[element] : contribution.loss;
}

/// Which values that are not finite stand among the terms with a weight.
struct NonFinite {
  bool nan = false;
  bool up = false;
  bool down = false;
  [[nodiscard]] bool any() const { return nan || up || down; }
};

/// NUMERICS 1.6 and amendment 6: NaN must stay NaN; an infinity must stay that infinity only where
/// no finite partial sum can overflow to the other side and nothing but a tree of additions is
/// allowed.
void demand_non_finite(ElementReference& reference, const NonFinite& seen, bool tree) {
  if (seen.nan || (seen.up && seen.down)) {
    reference.demanded = std::numeric_limits<double>::quiet_NaN();
  } else if (tree && !reference.may_overflow) {
    const double infinity = std::numeric_limits<double>::infinity();
    reference.demanded = seen.up ? infinity : -infinity;
  } else {
    reference.unjudged = true;
  }
}

class Element {
 public:
  Element(const StepOfTrial& at, const Contributions& contributions, std::size_t element)
      : at_(at), contributions_(contributions), element_(element) {}

  ElementReference reference(double largest) {
    add_terms();
    ElementReference reference;
    reference.divisor = at_.handed_in.divisor;
    reference.may_overflow = !((Magnitude{4.0} * raw_).value() <= largest);
    if (non_finite_.any()) {
      demand_non_finite(reference, non_finite_, at_.arithmetic.tree);
      return reference;
    }
    reference.numerator = sum_.total();
    reference.bound = bound(reference.numerator);
    return reference;
  }

 private:
  void add_terms() {
    for (std::size_t r = 0; r < contributions_.size(); ++r) {
      bool touched = false;
      for (std::size_t m = 0; m < contributions_[r].size(); ++m) {
        touched |= add_term(r, m);
      }
      if (touched) count_.add_rank(contributions_[r].size());
    }
  }

  /// \return whether the term is not zero
  bool add_term(std::size_t r, std::size_t m) {
    const std::uint64_t weight = at_.handed_in.weight[r][m];
    const double value = value_of(contributions_[r][m], element_);
    if (weight == 0 || value == 0) return false;
    if (!std::isfinite(value)) {
      non_finite_.nan |= std::isnan(value);
      non_finite_.up |= value > 0;
      non_finite_.down |= value < 0;
      return true;
    }
    const auto rows = static_cast<double>(contributions_[r][m].valid.value);
    raw_ += Magnitude{rows} * Magnitude{std::abs(value)};
    sum_.add(value, weight);
    count_.add_term();
    return true;
  }

  [[nodiscard]] double bound(const Dyadic& total) const {
    return bound_of_reduction(
               at_, [&] { return bound_of_sum(total); },
               [&](std::size_t r, std::size_t m) {
                 return std::abs(value_of(contributions_[r][m], element_));
               })
        .value();
  }

  [[nodiscard]] double bound_of_sum(const Dyadic& total) const {
    const auto divisor = static_cast<double>(at_.handed_in.divisor);
    TermSums sums;
    sums.positive = (Magnitude{sum_.positive_up()} / divisor).value();
    sums.negative = (Magnitude{sum_.negative_up()} / divisor).value();
    sums.total = (Magnitude{total.magnitude_up()} / divisor).value();
    sums.terms = count_.terms(at_.arithmetic.tree);
    return reduction_bound(at_.arithmetic, sums);
  }

  const StepOfTrial& at_;
  const Contributions& contributions_;
  std::size_t element_;
  ExactSum sum_;
  TermCount count_;
  Magnitude raw_;  // sum of n |g|, what the sum is before any division
  NonFinite non_finite_;
};

}  // namespace

std::vector<ElementReference> references_from_contributions(const StepOfTrial& at,
                                                            const Contributions& contributions) {
  const std::size_t elements = contributions.front().front().gradient.values().size();
  const double largest = largest_value(at.claim(), at.problem());
  std::vector<ElementReference> references;
  references.reserve(elements + 1);
  for (std::size_t e = 0; e <= elements; ++e) {
    references.push_back(Element(at, contributions, e).reference(largest));
  }
  return references;
}

}  // namespace shardproof
