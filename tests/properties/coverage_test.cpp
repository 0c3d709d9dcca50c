#include "shardproof/generators/coverage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "shardproof/case/error.h"
#include "shardproof/properties/suite.h"
#include "shardproof/subject/builtin.h"
#include "shardproof/subject/subject.h"

namespace shardproof {
namespace {

/// Random narrowings of a claim and of options, some of which leave nothing to draw.
class Narrowings {
 public:
  explicit Narrowings(unsigned seed) : random_(seed) {}

  Claim claim(Claim claim) {
    claim.conditions = conditions(claim.conditions);
    narrow_world(claim.min_world, claim.max_world);
    if (chance(3)) claim.padding = PaddingContent::any;
    if (chance(4)) claim.only_dtype = pick_dtype();
    if (chance(4)) claim.accumulate = pick_dtype();
    if (chance(4)) claim.flush = Flush::either;
    if (chance(4)) claim.order_fixed = false;
    return claim;
  }

  DrawOptions options() {
    DrawOptions options;
    if (chance(3)) options.dtypes = {pick_dtype()};
    options.conditions = conditions(options.conditions);
    narrow_world(options.min_world, options.max_world);
    return options;
  }

 private:
  bool chance(int of) { return below(of) == 0; }
  int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }
  Dtype pick_dtype() { return all_dtypes()[static_cast<std::size_t>(below(2))]; }

  ConditionSet conditions(ConditionSet of) {
    if (chance(2)) return of;
    ConditionSet some;
    for (const Condition condition : kAllConditions) {
      if (of.contains(condition) && chance(2)) some.insert(condition);
    }
    return some.none() ? of : some;
  }

  void narrow_world(int& low, int& high) {
    if (chance(2)) return;
    const int a = low + below(std::min(high, 12) - low + 1);
    high = std::min(high, a + (chance(2) ? 0 : below(6)));
    low = a;
  }

  std::mt19937 random_;
};

std::string missing(const RunResult& result) {
  std::string names;
  for (const ClassCount& count : not_covered(result)) names += count.name + "; ";
  return names;
}

// No class is asked for that cannot be drawn and judged, whatever is claimed.
TEST(ClassesToCover, AreAllJudgedWithinFortyCasesUnderRandomClaimsAndOptions) {
  int checked = 0;
  for (unsigned draw = 0; draw < 60; ++draw) {
    Narrowings narrowings(draw);
    auto subject = make_builtin(draw % 5 == 0 ? "sgd" : draw % 2 == 0 ? "sequential" : "kahan");
    const Claim claim = narrowings.claim(subject->claim());
    CheckOptions options;
    options.seed = draw;
    options.run.cases = 40;
    options.draw = narrowings.options();
    if (claim.accumulate) {
      // What it claims, it does.
      subject = make_builtin("sequential:weight-by-count:" + std::string(name(*claim.accumulate)));
    }
    subject = with_claim(std::move(subject), claim);
    RunResult result;
    try {
      result = check(*subject, options);
    } catch (const InputError&) {
      continue;  // nothing is left to draw
    }
    ++checked;
    EXPECT_FALSE(result.finding) << result.finding->minimal.failure.sentence;
    EXPECT_EQ(missing(result), "") << "draw " << draw << ": " << settings(claim);
  }
  EXPECT_GT(checked, 30);
}

TEST(ClassesToCover, NameWhatTheDefaultClaimAdmits) {
  std::vector<std::string> names;
  for (const CaseClass& of : classes_to_cover({}, SubjectKind::reducer, {})) {
    names.push_back(of.name);
  }
  for (const char* name :
       {"f32", "condition empty", "one rank", "ranks no power of two", "leaves of unlike lengths",
        "several micro-batches", "several steps", "unused layers", "ranks arriving out of order",
        "subnormal values", "values near overflow", "steps without rows"}) {
    EXPECT_EQ(std::ranges::count(names, name), 1) << name;
  }
  EXPECT_EQ(std::ranges::count(names, "padding that is not finite"), 0);
}

TEST(ClassesToCover, LeaveOutWhatClaimOrOptionsExclude) {
  const auto has = [](const Claim& claim, const DrawOptions& options, std::string_view name) {
    const std::vector<CaseClass> classes = classes_to_cover(claim, SubjectKind::reducer, options);
    return std::ranges::any_of(classes, [=](const CaseClass& of) { return of.name == name; });
  };
  EXPECT_TRUE(has({.padding = PaddingContent::any}, {}, "padding that is not finite"));
  EXPECT_FALSE(has({.conditions = {Condition::equal}, .padding = PaddingContent::any}, {},
                   "padding that is not finite"));
  EXPECT_FALSE(has({.conditions = {Condition::equal}}, {}, "condition empty"));
  EXPECT_FALSE(has({.conditions = {Condition::equal}}, {}, "steps without rows"));
  EXPECT_FALSE(has({.min_world = 2}, {}, "one rank"));
  EXPECT_FALSE(has({.conditions = {Condition::empty}}, {}, "one rank"));
  EXPECT_FALSE(has({}, {.min_world = 7, .max_world = 8}, "one rank"));
  EXPECT_TRUE(has({}, {.min_world = 7, .max_world = 8}, "ranks no power of two"));
  EXPECT_FALSE(has({}, {.min_world = 8, .max_world = 8}, "ranks no power of two"));
  EXPECT_FALSE(has({}, {.max_world = 1}, "ranks arriving out of order"));
  EXPECT_FALSE(has({}, {.dtypes = {Dtype::f32}}, "f64"));
  EXPECT_FALSE(has({.accumulate = Dtype::f32}, {.dtypes = {Dtype::f64}}, "values near overflow"));
}

}  // namespace
}  // namespace shardproof
