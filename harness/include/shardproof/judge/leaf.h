#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "shardproof/case/claim.h"
#include "shardproof/exact/bound.h"
#include "shardproof/judge/verdict.h"
#include "shardproof/subject/leaf_reduction.h"

namespace shardproof {

struct LeafSums;

/// What was ruled about the elements of one leaf.
struct LeafRulings {
  std::int64_t accepted = 0;
  std::int64_t undecided = 0;  ///< overflow is possible, or nothing is proved
  std::int64_t refuted = 0;
  std::int64_t exactly = 0;  ///< of all these, those that the filter left to exact arithmetic
  /// |returned - exact| / (bound + half a gap) of the accepted value that seems nearest to its
  /// limit: 0 to 1.
  double tightest = 0;
  std::optional<std::size_t> first_refuted;
};

/// What a right reducer may return for one element.
struct ElementLimits {
  std::string exact;  ///< the exact value: a fraction where short
  double about = 0;   ///< the same, rounded
  TermSums sums;      ///< of its weighted terms, each rounded up
  double bound = 0;   ///< B; infinity where nothing is proved
  bool may_overflow = false;
  double lowest = 0;  ///< the least and the greatest value that are not refuted
  double highest = 0;
};

/// Judges a reducer's results on a whole leaf, from what it was handed.
///
/// The rulings are those of `judge_gradient` on each element. Most elements are accepted by a
/// filter in binary64 whose errors are proved: the distance is bounded from above, the allowance
/// from below. What it does not accept is decided by exact arithmetic, element by element.
class LeafJudge {
 public:
  /// \param problem  of one step, whose counts weigh the terms; its rows are not read
  /// \pre   `values` has the shards and micro-batches of that step, all of one length
  LeafJudge(SharedCase problem, LeafValues values);
  ~LeafJudge();

  [[nodiscard]] const LeafValues& values() const { return values_; }
  [[nodiscard]] std::size_t elements() const { return elements_; }

  /// \param tightest  the ratio is worked out where it may be larger than this one, else it is 0
  /// \pre   `returned` has `elements()` values
  /// \return  all undecided where the claim's weights do not fit (`contribution_weights`)
  LeafRulings judge(const Claim& claim, std::span<const double> returned,
                    double tightest = 0) const;

  /// The refutation of a value, in words. \pre it is refuted
  [[nodiscard]] Failure failure(const Claim& claim, std::size_t element, double value) const;

  /// \return nothing where the terms are not all finite, or the weights do not fit
  [[nodiscard]] std::optional<ElementLimits> limits(const Claim& claim, std::size_t element) const;

 private:
  /// Nothing where the weights do not fit.
  [[nodiscard]] const LeafSums* sums_for(const Claim& claim) const;

  SharedCase problem_;
  LeafValues values_;
  std::size_t elements_;
  mutable std::vector<std::unique_ptr<LeafSums>> sums_;  // one for each set of weights met
};

}  // namespace shardproof
