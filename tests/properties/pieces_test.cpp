// Subjects whose ranks return pieces, through the whole program.

#include <gtest/gtest.h>

#include <algorithm>

#include "shardproof/properties/suite.h"
#include "shardproof/subject/builtin.h"

namespace shardproof {
namespace {

RunResult checked(const char* name, const char* settings = "") {
  auto subject = make_builtin(name);
  const Claim claim = with_settings(subject->claim(), settings);
  subject = with_claim(std::move(subject), claim);
  return check(*subject, {.seed = 0, .run = {.cases = 200}});
}

const Finding& finding(const RunResult& result) {
  static const Finding none{};
  EXPECT_TRUE(result.finding.has_value());
  return result.finding ? *result.finding : none;
}

bool names_cause(const Finding& finding, std::string_view name) {
  return std::ranges::any_of(finding.diagnosis.causes,
                             [&](const Cause& cause) { return cause.name == name; });
}

TEST(RightPieces, AreConsistentAndMissNoClass) {
  for (const char* name : {"reduce-scatter", "zero-step"}) {
    const RunResult result = checked(name);
    EXPECT_FALSE(result.finding) << name << ": " << result.finding->minimal.failure.sentence;
    for (const ClassCount& missed : not_covered(result)) ADD_FAILURE() << name << missed.name;
  }
}

TEST(ShiftedCut, IsShownOnTwoElementsAndNamed) {
  const RunResult result = checked("shifted-cut");
  const Finding& found = finding(result);
  EXPECT_EQ(found.minimal.problem->world_size().value, 2);
  EXPECT_LE(tree_shape(found.minimal.problem->model)->size, 2U);
  ASSERT_EQ(found.diagnosis.causes.size(), 1U);
  EXPECT_EQ(found.diagnosis.causes[0].meaning,
            "each rank returned the piece of the next rank as its own");
}

TEST(DroppedTail, IsShownOnOneElementAndSaysWhichIsLost) {
  const RunResult result = checked("dropped-tail");
  const Finding& found = finding(result);
  EXPECT_EQ(found.minimal.failure.kind, FailureKind::misbehaved);
  EXPECT_EQ(found.minimal.problem->world_size().value, 2);
  EXPECT_EQ(tree_shape(found.minimal.problem->model)->size, 1U);
  EXPECT_NE(found.minimal.failure.sentence.find("kernel[0,0] (element 0 of 1) is in no rank's "
                                                "piece"),
            std::string::npos)
      << found.minimal.failure.sentence;
}

TEST(ZeroWithoutGather, LeavesParametersBehind) {
  const RunResult result = checked("zero-without-gather");
  const Finding& found = finding(result);
  EXPECT_TRUE(found.minimal.failure.kind == FailureKind::ranks_differ ||
              found.minimal.failure.kind == FailureKind::wrong_update)
      << found.minimal.failure.sentence;
}

TEST(WrongMeans, AreNamedInPiecesToo) {
  const RunResult sum = checked("psum", "result=pieces");
  EXPECT_TRUE(names_cause(finding(sum), "sum-of-rank-means"));
  const RunResult means = checked("mean-of-means", "result=pieces");
  EXPECT_TRUE(names_cause(finding(means), "mean-of-rank-means"));
}

}  // namespace
}  // namespace shardproof
