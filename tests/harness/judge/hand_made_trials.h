#pragma once

// Outcomes made by hand and what tests expect of their verdicts.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/subject/cases.h"
#include "shardproof/judge/judge.h"
#include "shardproof/subject/local_gradient.h"

namespace shardproof {

inline const double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

inline RankResult result(const SharedCase& problem, double gradient, double loss, double count) {
  return {.gradient = Tree(tree_shape(problem->model), {gradient}),
          .loss = loss,
          .count = count,
          .norm = std::abs(gradient),
          .parameters = {}};
}

inline Trial trial(SharedCase problem, Outcome outcome, Claim claim = {},
                   SubjectKind kind = SubjectKind::reducer) {
  return {std::move(problem), std::make_shared<const Claim>(std::move(claim)), kind,
          std::move(outcome)};
}

/// Every rank returned these results of each step; contributions as they are handed in.
inline Returned returned(const SharedCase& problem, const std::vector<RankResult>& of_steps) {
  Returned all;
  const SharedShape shape = tree_shape(problem->model);
  const int ranks = problem->world_size().value;
  for (std::size_t s = 0; s < of_steps.size(); ++s) {
    all.results.emplace_back(static_cast<std::size_t>(ranks), of_steps[s]);
    auto& step = all.contributions.emplace_back();
    for (int r = 0; r < ranks; ++r) {
      step.push_back(
          {local_contribution(*problem, shape, static_cast<int>(s), r, 0, InputForm::local_mean)});
    }
  }
  return all;
}

/// Gradients 2 and 8, then 18 and 32, at parameter 1.
inline const SharedCase kTwoRanks = test::two_ranks();

inline Returned right() {
  return returned(kTwoRanks, {result(kTwoRanks, 5, 2.5, 2), result(kTwoRanks, 25, 12.5, 2)});
}

/// The same rows with updates at learning rate 1/2: 1, then -1.5, then 17.25.
inline Returned right_training() {
  Returned all =
      returned(kTwoRanks, {result(kTwoRanks, 5, 2.5, 2), result(kTwoRanks, -37.5, 28.125, 2)});
  const SharedShape shape = tree_shape(kTwoRanks->model);
  for (RankResult& rank : all.results[0]) rank.parameters = Tree(shape, {-1.5});
  for (RankResult& rank : all.results[1]) rank.parameters = Tree(shape, {17.25});
  all.contributions.clear();
  return all;
}

inline Trial training(Outcome outcome, Claim claim = {}) {
  return trial(kTwoRanks, std::move(outcome), std::move(claim), SubjectKind::train_step);
}

inline testing::AssertionResult consistent(const Verdict& verdict) {
  if (std::holds_alternative<Consistent>(verdict)) return testing::AssertionSuccess();
  if (const auto* failure = std::get_if<Failure>(&verdict)) {
    return testing::AssertionFailure() << failure->sentence;
  }
  return testing::AssertionFailure() << std::get<NotApplicable>(verdict).reason;
}

inline testing::AssertionResult not_applicable(const Verdict& verdict, std::string_view why) {
  const auto* found = std::get_if<NotApplicable>(&verdict);
  if (found == nullptr) return testing::AssertionFailure() << "it is judged";
  if (found->reason.find(why) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << found->reason;
}

/// The failure, whose sentence has to hold all of `words`.
inline Failure failed(const Verdict& verdict, FailureKind kind, std::vector<std::string> words) {
  const auto* failure = std::get_if<Failure>(&verdict);
  if (failure == nullptr) {
    ADD_FAILURE() << "no failure";
    return {};
  }
  EXPECT_EQ(name(failure->kind), name(kind));
  for (const std::string& word : words) {
    EXPECT_NE(failure->sentence.find(word), std::string::npos)
        << word << " in: " << failure->sentence;
  }
  return *failure;
}

}  // namespace shardproof
