// The judge of whole leaves rules as the exact judge of elements does.

#include "shardproof/judge/leaf.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "judge/alone.h"
#include "judge/element.h"
#include "judge/step_of_trial.h"
#include "shardproof/judge/arithmetic.h"

namespace shardproof {
namespace {

constexpr std::size_t kElements = 24;

/// A leaf of nasty values, a claim to judge it under, and the exact references of its elements.
class NastyLeaf {
 public:
  explicit NastyLeaf(std::uint64_t seed) : random_(seed) {
    problem_.dtype = pick(all_dtypes());
    draw_claim();
    draw_values();
    shared_ = std::make_shared<const Case>(problem_);
    refer();
  }

  [[nodiscard]] const Claim& claim() const { return claim_; }
  [[nodiscard]] LeafJudge leaf_judge() const { return {shared_, values_}; }
  [[nodiscard]] ElementJudge element_judge(std::size_t e) const {
    return {references_[e], arithmetic_, output()};
  }

  /// Values on and beside the limits of each element, and anything else.
  std::vector<double> results() {
    std::vector<double> results;
    const Format& f = format(output());
    for (std::size_t e = 0; e < kElements; ++e) {
      const ElementJudge judge = element_judge(e);
      const double far = below(2) == 0 ? f.largest : -f.largest;
      double value = std::numeric_limits<double>::quiet_NaN();
      const int kind = below(12);
      if (kind < 9 && judge.rule(far) == ElementJudge::Ruling::refuted) {
        value = judge.limit_towards(far);
        const int away = below(3);
        if (away == 1) value = outward(value, far);
        if (away == 2) value = outward(value, -far);
      } else if (kind < 11) {
        value = drawn(kind == 9 ? 0 : 4);
      }
      results.push_back(value);
    }
    return results;
  }

 private:
  int below(int limit) { return static_cast<int>(random_() % static_cast<std::uint64_t>(limit)); }
  template <class T>
  T pick(std::span<const T> choices) {
    return choices[static_cast<std::size_t>(below(static_cast<int>(choices.size())))];
  }
  [[nodiscard]] double outward(double value, double far) const {
    return far > 0 ? next_up(output(), value) : next_down(output(), value);
  }

  [[nodiscard]] Dtype output() const { return role_dtypes(claim_, problem_.dtype).output; }

  void draw_claim() {
    if (below(2) == 0) claim_.summation = Summation::tree;
    if (below(2) == 0) claim_.roundings = below(4);
    if (below(4) == 0) claim_.rounding = Rounding::faithful;
    if (below(6) == 0) claim_.flush = Flush::either;
    if (below(3) == 0) claim_.accumulate = pick(all_dtypes());
    if (below(4) == 0) claim_.wire = pick(all_dtypes());
    if (below(4) == 0) claim_.output = pick(all_dtypes());
    if (below(4) == 0) claim_.input = InputForm::local_sum;
    if (below(6) == 0) {
      claim_.input = InputForm::local_mean;
      claim_.summation = Summation::any;
      claim_.accumulation = Accumulation::running_mean;
    }
  }

  void draw_values() {
    const int ranks = 1 + below(below(8) == 0 ? 20 : 5);
    const int micro_batches = 1 + below(3);
    const int family = below(7);
    Step& step = problem_.steps.emplace_back();
    problem_.mesh.axes[0].size = ranks;
    values_.resize(static_cast<std::size_t>(ranks));
    for (auto& rank : values_) {
      Shard& shard = step.shards.emplace_back();
      for (int m = 0; m < micro_batches; ++m) {
        const int valid = rank.empty() && step.shards.size() == 1 ? 3 : below(4) * below(40);
        const std::vector<std::uint8_t> mask(static_cast<std::size_t>(valid), 1);
        shard.micro_batches.push_back({.x = {}, .y = {}, .mask = mask, .absent = {}});
        std::vector<double>& leaf = rank.emplace_back(kElements);
        for (double& value : leaf) {
          if (valid > 0) value = drawn(family);
        }
      }
    }
    if (below(10) == 0) values_[0][0][0] = std::numeric_limits<double>::infinity();
    if (below(10) == 0) values_[0][0][1] = std::numeric_limits<double>::quiet_NaN();
  }

  double drawn(int family) {
    const Format& f = format(problem_.dtype);
    const double normal = normal_(random_);
    const auto rounded = [&](double x) { return round_to(problem_.dtype, x); };
    if (family == 0) return below(5) - 2;
    if (family == 1) return rounded(1 + std::abs(normal));
    if (family == 2) return rounded(std::ldexp(normal, below(60) - 30));
    if (family == 3) return rounded(normal * f.smallest_normal * std::ldexp(1.0, -below(20)));
    if (family == 4) return rounded(f.largest * std::ldexp(normal / 8, -below(24)));
    if (family == 5) return below(3) == 0 ? 1 + 2 * f.unit_roundoff : rounded(normal);
    return rounded(normal);
  }

  void refer() {
    const SharedShape shape = std::make_shared<const TreeShape>(TreeShape{
        .leaves = {{.name = "leaf", .columns = static_cast<int>(kElements)}}, .size = kElements});
    const Step& step = shared_->steps.front();
    std::vector<std::vector<Contribution>> contributions(values_.size());
    for (std::size_t r = 0; r < values_.size(); ++r) {
      for (std::size_t m = 0; m < values_[r].size(); ++m) {
        Contribution& c = contributions[r].emplace_back();
        c.gradient = Tree(shape, values_[r][m]);
        c.valid = step.shards[r].micro_batches[m].valid();
      }
    }
    const Trial trial(shared_, std::make_shared<const Claim>(claim_), SubjectKind::reducer,
                      Returned{});
    const Weights weights = *contribution_weights(claim_, step);
    arithmetic_ = arithmetic_of(claim_, *shared_, step);
    references_ =
        references_from_contributions({trial, 0, weights, weights, arithmetic_, {}}, contributions);
  }

  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  Case problem_;
  SharedCase shared_;
  Claim claim_;
  LeafValues values_;
  Arithmetic arithmetic_;
  std::vector<ElementReference> references_;
};

struct Counts {
  std::int64_t accepted = 0;
  std::int64_t undecided = 0;
  std::int64_t refuted = 0;
  std::optional<std::size_t> first_refuted;
};

Counts element_by_element(const NastyLeaf& leaf, const std::vector<double>& results) {
  Counts counts;
  for (std::size_t e = 0; e < results.size(); ++e) {
    switch (leaf.element_judge(e).rule(results[e])) {
      case ElementJudge::Ruling::accepted:
        ++counts.accepted;
        break;
      case ElementJudge::Ruling::undecided:
        ++counts.undecided;
        break;
      case ElementJudge::Ruling::refuted:
        if (counts.refuted++ == 0) counts.first_refuted = e;
    }
  }
  return counts;
}

TEST(LeafJudge, RulesAsTheExactJudgeOfEachElement) {
  std::int64_t refuted = 0;
  std::int64_t accepted = 0;
  std::int64_t undecided = 0;
  std::int64_t exactly = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    NastyLeaf leaf(seed);
    const std::vector<double> results = leaf.results();
    const Counts expected = element_by_element(leaf, results);
    const LeafRulings rulings = leaf.leaf_judge().judge(leaf.claim(), results);
    ASSERT_EQ(rulings.accepted, expected.accepted) << seed << ' ' << settings(leaf.claim());
    ASSERT_EQ(rulings.undecided, expected.undecided) << seed << ' ' << settings(leaf.claim());
    ASSERT_EQ(rulings.refuted, expected.refuted) << seed << ' ' << settings(leaf.claim());
    ASSERT_EQ(rulings.first_refuted, expected.first_refuted) << seed;
    ASSERT_GE(rulings.exactly, rulings.refuted) << seed;
    ASSERT_LE(rulings.tightest, 1 + 1e-12) << seed;
    refuted += rulings.refuted;
    accepted += rulings.accepted;
    undecided += rulings.undecided;
    exactly += rulings.exactly;
  }
  EXPECT_GT(refuted, 5000);
  EXPECT_GT(accepted, 5000);
  EXPECT_GT(undecided, 300);
  EXPECT_LT(exactly - refuted, accepted);  // the filter accepts by itself
}

/// One rank, one row: the result is the term, rounded as the claim allows.
LeafJudge of_one_term(std::vector<double> terms) {
  Case problem;
  problem.steps = {Step{{Shard{{MicroBatch{.x = {}, .y = {}, .mask = {1}, .absent = {}}}}}}};
  return {std::make_shared<const Case>(problem), {{std::move(terms)}}};
}

TEST(LeafJudge, LeavesOnlyDoubtToExactArithmetic) {
  const std::vector<double> terms(1000, 3.0);
  const LeafRulings rulings = of_one_term(terms).judge({}, terms);
  EXPECT_EQ(rulings.accepted, 1000);
  EXPECT_EQ(rulings.exactly, 0);
}

TEST(LeafJudge, SaysWhatIsWrongInWords) {
  const LeafJudge judge = of_one_term({3.0, 5.0});
  const LeafRulings rulings = judge.judge({}, std::vector{3.0, 6.0});
  ASSERT_EQ(rulings.first_refuted, 1);
  const Failure failure = judge.failure({}, 1, 6.0);
  EXPECT_EQ(failure.element, "leaf[1]");
  EXPECT_EQ(failure.exact, "5");
  EXPECT_NE(failure.sentence.find("leaf[1]: every rank returned 6; exact 5"), std::string::npos)
      << failure.sentence;
}

TEST(LeafJudge, WorksOutTheRatioOnlyWhereItMayBeLarger) {
  const LeafJudge judge = of_one_term({1.0});
  const std::vector<double> off{next_up(Dtype::f32, 1.0)};
  const double ratio = judge.judge({}, off).tightest;
  EXPECT_GT(ratio, 0.3);  // one gap of 2, half a gap and four roundings of 1/2 are allowed
  EXPECT_LT(ratio, 0.5);
  EXPECT_EQ(judge.judge({}, off, 0.5).tightest, 0);
}

}  // namespace
}  // namespace shardproof
