// How small a mistake a trial could have seen: what is said to show does show.

#include "judge/power.h"

#include <gtest/gtest.h>

#include "harness/judge/hand_made_trials.h"
#include "harness/judge/soundness.h"

namespace shardproof {
namespace {

/// A rank with one row and a gradient of zeros: who counts it divides by one too many.
std::vector<Contribution> phantom_row(const Contribution& like) {
  Contribution phantom;
  phantom.gradient = Tree(like.gradient.shared_shape());
  phantom.valid = ValidCount{1};
  return {phantom};
}

TEST(Power, AnErrorThatIsSaidToShowIsRefutedHoweverItIsRounded) {
  NastyTrials draws(3);
  int strong = 0;
  int weak = 0;
  for (int i = 0; i < 800; ++i) {
    const Dtype dtype = draws.below(2) == 0 ? Dtype::f32 : Dtype::f64;
    HandedInTrial handed = draws.draw(dtype);
    const auto claim = std::make_shared<Claim>();
    const Trial trial(handed.problem, claim, SubjectKind::reducer, Returned{});
    const Step& step = handed.problem->steps[0];
    const Weights weights = *contribution_weights(*claim, step);
    const Arithmetic arithmetic = arithmetic_of(*claim, *handed.problem, step);
    const std::vector<ElementReference> references = references_from_contributions(
        {trial, 0, weights, weights, arithmetic, {}}, handed.contributions);
    handed.contributions.push_back(phantom_row(handed.contributions[0][0]));
    for (int reducer = 0; reducer < 4; ++reducer) {
      RandomReducer reduce(static_cast<std::uint64_t>(i * 4 + reducer), dtype);
      auto contributions = handed.contributions;
      const Reduced reduced = reduce(contributions, dtype);
      for (std::size_t e = 0; e < 2; ++e) {
        const double error = smallest_visible_error(references[e], arithmetic, dtype);
        if (!(error <= 1.0 / static_cast<double>(step.valid().value + 1))) {
          ++weak;
          continue;
        }
        ++strong;
        EXPECT_EQ(ElementJudge(references[e], arithmetic, dtype).rule(reduced.gradient.values()[e]),
                  ElementJudge::Ruling::refuted)
            << "trial " << i << ", " << reduce.choices() << ", error " << error;
      }
    }
  }
  EXPECT_GT(strong, 1000);
  EXPECT_GT(weak, 100);
}

TEST(Power, IsNotFarFromTheSmallestErrorThatShows) {
  // One exact term 1, no rounding but the last: all but 1 and its neighbours is refuted.
  const ElementReference one{.numerator = Dyadic(1.0), .divisor = 1, .bound = 0};
  const double error = smallest_visible_error(one, {}, Dtype::f32);
  EXPECT_GE(error, 0x1p-23);
  EXPECT_LE(error, 0x1p-22);
}

TEST(Power, IsNoneWhereTheBoundReachesZeroOrNothingIsDecided) {
  const ElementReference blurred{.numerator = Dyadic(1.0), .divisor = 1, .bound = 1};
  EXPECT_EQ(smallest_visible_error(blurred, {}, Dtype::f32), kInfinity);
  const ElementReference zero{.numerator = Dyadic(0.0), .divisor = 1, .bound = 0};
  EXPECT_EQ(smallest_visible_error(zero, {}, Dtype::f32), kInfinity);
  const ElementReference overflowing{.numerator = Dyadic(1.0), .may_overflow = true};
  EXPECT_EQ(smallest_visible_error(overflowing, {}, Dtype::f32), kInfinity);
}

TEST(Power, OfATrialIsThatOfItsBestElement) {
  const Trial judged = trial(kTwoRanks, right());
  EXPECT_FALSE(power_of(judged)) << "nothing was compared yet";
  (void)judged.gradient_verdict();
  const std::optional<Power> power = power_of(judged);
  ASSERT_TRUE(power);
  EXPECT_FALSE(power->weak);
  EXPECT_GT(power->smallest_error, 0x1p-24);
  EXPECT_LT(power->smallest_error, 0x1p-20);
}

TEST(Power, OfARefutedTrialIsNotAsked) {
  const Trial refuted =
      trial(kTwoRanks,
            returned(kTwoRanks, {result(kTwoRanks, 6, 2.5, 2), result(kTwoRanks, 25, 12.5, 2)}));
  (void)refuted.gradient_verdict();
  EXPECT_FALSE(power_of(refuted));
}

}  // namespace
}  // namespace shardproof
