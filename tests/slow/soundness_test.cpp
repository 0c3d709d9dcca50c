// Right reducers at length: none is refuted, and every value beyond a limit is.

#include "harness/judge/soundness.h"

#include <gtest/gtest.h>

#include <iostream>

#include "shardproof/generators/cases.h"
#include "shardproof/judge/judge.h"
#include "shardproof/subject/all_at_once.h"

namespace shardproof {
namespace {

TEST(SoundnessAtLength, RightReducersAreNeverRefutedAndTheNextValueOutwardAlways) {
  Soundness all;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Soundness one = soundness_alone(1000 + seed, 1500);
    ASSERT_EQ(one.refuted, 0) << "seed " << seed << ", " << one.first;
    ASSERT_EQ(one.outward_accepted, 0) << "seed " << seed;
    all.judged += one.judged;
    all.undecided += one.undecided;
    all.tightest = std::max(all.tightest, one.tightest);
  }
  std::cout << all.judged << " judged, " << all.undecided
            << " undecided, tightest error / (B + h) = " << all.tightest << "\n";
  EXPECT_GT(all.judged, 400000);
}

TEST(SoundnessAtLength, DrawnCasesAreConsistentEndToEndForRandomRightReducers) {
  int judged = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    std::uint64_t execution = 0;
    const auto subject =
        all_at_once("random", {}, [&](std::span<std::vector<Contribution>> all, Dtype dtype) {
          return RandomReducer(seed * 100003 + execution++, dtype)(all, dtype);
        });
    const auto claim = std::make_shared<const Claim>(subject->claim());
    for (int i = 0; i < 200; ++i) {
      const auto problem = std::make_shared<const Case>(
          draw_case(seed, i, *claim, SubjectKind::reducer, DrawOptions{}));
      const Trial trial(problem, claim, SubjectKind::reducer, subject->run(problem, {}));
      for (const Verdict& verdict : {judge_gradient(trial), judge_loss(trial)}) {
        const auto* failure = std::get_if<Failure>(&verdict);
        ASSERT_EQ(failure, nullptr)
            << "seed " << seed << ", case " << i << ": " << failure->sentence;
        judged += std::holds_alternative<Consistent>(verdict) ? 1 : 0;
      }
    }
  }
  std::cout << judged << " verdicts\n";
  EXPECT_GT(judged, 15000);
}

}  // namespace
}  // namespace shardproof
