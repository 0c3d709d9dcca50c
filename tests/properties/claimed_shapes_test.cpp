// Everything that is executed under a claim of shapes is of such a shape.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "shardproof/case/error.h"
#include "shardproof/properties/suite.h"
#include "shardproof/subject/builtin.h"

namespace shardproof {
namespace {

/// Collects why a case that it is to run lies outside of its claim.
class Watched final : public Subject {
 public:
  explicit Watched(std::unique_ptr<Subject> subject) : subject_(std::move(subject)) {}

  [[nodiscard]] const std::string& name() const override { return subject_->name(); }
  [[nodiscard]] SubjectKind kind() const override { return subject_->kind(); }
  [[nodiscard]] const Claim& claim() const override { return subject_->claim(); }
  [[nodiscard]] bool usable() const override { return subject_->usable(); }
  Outcome run(const SharedCase& problem, const Limits& limits) override {
    ++executions_;
    if (auto why = excluded_by(claim(), *problem); why && outside_.empty()) outside_ = *why;
    return subject_->run(problem, limits);
  }

  [[nodiscard]] const std::string& outside() const { return outside_; }
  [[nodiscard]] int executions() const { return executions_; }

 private:
  std::unique_ptr<Subject> subject_;
  std::string outside_;
  int executions_ = 0;
};

Watched watched(const char* name, const std::string& settings) {
  auto subject = make_builtin(name);
  const Claim claim = with_settings(subject->claim(), settings);
  return Watched(with_claim(std::move(subject), claim));
}

class RandomShapes {
 public:
  explicit RandomShapes(unsigned seed) : random_(seed) {}

  std::string settings() {
    std::string text = "conditions=" + conditions();
    if (chance(2)) text += ",world=" + worlds();
    const auto add = [&](const char* key, int low, int high) {
      if (chance(2)) text += "," + std::string(key) + "=" + range(low, high);
    };
    add("rows", 0, 5);
    add("micro-batches", 1, 3);
    add("features", 1, 6);
    add("outputs", 1, 5);
    add("layers", 1, 4);
    add("steps", 1, 3);
    if (chance(3)) text += std::string(",bias=") + (chance(2) ? "yes" : "no");
    if (chance(3)) text += ",absent=no";
    if (chance(4)) text += ",padding=any";
    return text;
  }

 private:
  bool chance(int of) { return below(of) == 0; }
  int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }
  std::string range(int low, int high) {
    const int a = low + below(high - low + 1);
    const int b = a + below(high - a + 1);
    return std::to_string(a) + ".." + std::to_string(chance(2) ? a : b);
  }
  std::string worlds() {
    constexpr const char* kLists[] = {"2+4+8", "1..2+5", "3", "4..6", "16", "1", "2..3+7..9"};
    return kLists[below(7)];
  }
  std::string conditions() {
    std::string text;
    for (const char* one : {"equal", "unequal", "padded", "empty"}) {
      if (chance(3)) continue;
      text += (text.empty() ? "" : "+") + std::string(one);
    }
    return text.empty() ? "equal" : text;
  }

  std::mt19937 random_;
};

std::string missing(const RunResult& result) {
  std::string names;
  for (const ClassCount& count : not_covered(result)) names += count.name + "; ";
  return names;
}

TEST(ClaimedShapes, HoldOfAllThatARightSubjectIsRunOnAndNoClassIsMissed) {
  int checked = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    const std::string settings = RandomShapes(seed).settings();
    Watched subject = watched(seed % 4 == 0 ? "sgd" : "sequential", settings);
    RunResult result;
    try {
      result = check(subject, {.seed = seed, .run = {.cases = 40}});
    } catch (const InputError&) {
      continue;  // nothing is left to draw
    }
    ++checked;
    EXPECT_EQ(subject.outside(), "") << settings;
    EXPECT_FALSE(result.finding) << settings << ": " << result.finding->minimal.failure.sentence;
    EXPECT_EQ(missing(result), "") << settings;
  }
  EXPECT_GT(checked, 35);
}

TEST(ClaimedShapes, HoldOfAllThatAWrongSubjectIsShrunkAndDiagnosedOn) {
  int found = 0;
  for (unsigned seed = 0; seed < 28; ++seed) {
    const std::string settings = RandomShapes(seed).settings();
    constexpr const char* kWrong[] = {"psum", "mean-of-means", "last-micro-batch", "update-twice"};
    Watched subject = watched(kWrong[seed % 4], settings);
    try {
      const RunResult result = check(subject, {.seed = seed, .run = {.cases = 40}});
      found += result.finding ? 1 : 0;
    } catch (const InputError&) {
      continue;
    }
    EXPECT_EQ(subject.outside(), "") << settings;
  }
  EXPECT_GT(found, 10);
}

constexpr const char* kCompiled =
    "world=16,rows=1..2,micro-batches=1,features=2,outputs=1,layers=1,bias=no,steps=1";

TEST(CompiledShapes, OfTheSixteenDevicesAreCheckedToTheEnd) {
  Watched subject = watched("pmean", kCompiled);
  const RunResult result = check(subject, {.seed = 0, .run = {.cases = 100}});
  EXPECT_FALSE(result.finding);
  EXPECT_EQ(result.cases, 100);
  EXPECT_EQ(missing(result), "");
  EXPECT_EQ(subject.outside(), "");
}

TEST(CompiledShapes, LeaveWrongMeansToBeFoundShrunkAndNamed) {
  for (const auto& [name, cause] :
       {std::pair{"psum", "sum-of-rank-means"}, {"mean-of-means", "mean-of-rank-means"}}) {
    Watched subject = watched(name, kCompiled);
    const RunResult result = check(subject, {.seed = 0});
    ASSERT_TRUE(result.finding) << name;
    EXPECT_EQ(subject.outside(), "") << name;
    EXPECT_TRUE(result.finding->fully_shrunk) << name;
    ASSERT_FALSE(result.finding->diagnosis.causes.empty()) << name;
    EXPECT_TRUE(std::ranges::any_of(result.finding->diagnosis.causes,
                                    [&](const Cause& one) { return one.name == cause; }))
        << name << ": " << result.finding->diagnosis.causes[0].name;
  }
}

TEST(CompiledShapes, LeaveSomePropertiesNothingToDoAndSaySo) {
  Watched subject = watched("pmean", kCompiled);
  const RunResult result = check(subject, {.seed = 0, .run = {.cases = 40}});
  for (const Tally& tally : result.tallies) {
    EXPECT_TRUE(tally.passed > 0 || !tally.first_skip_reason.empty()) << tally.property;
  }
}

}  // namespace
}  // namespace shardproof
