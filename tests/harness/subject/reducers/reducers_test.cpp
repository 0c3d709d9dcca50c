#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <random>

#include "harness/subject/hand_case.h"
#include "shardproof/subject/per_rank.h"
#include "shardproof/subject/strategy.h"

namespace shardproof {
namespace {

constexpr std::array kWorlds{1, 2, 3, 4, 5, 6, 7, 8, 9, 16};
constexpr std::array kLengths{1, 2, 3, 5, 7, 17};
constexpr std::array kTopologyNames{"sequential",       "tree",         "ring",
                                    "halving-doubling", "hierarchical", "own-rank-first"};
constexpr std::array kAccumulate{":case", ":f32", ":f64"};

/// Element e of the mean that the cases below have; the loss has the one of element 0.
double mean_at(int element) { return 3.0 * element - 4; }

/// How far the means of ranks 2k and 2k + 1 lie apart from the mean, in units of the other's count:
/// n_r d_r cancels within each pair, a last rank alone has 0.
double away(int rank, int world, const std::vector<int>& counts) {
  const int partner = rank ^ 1;
  if (partner >= world) return 0;
  return (rank % 2 == 0 ? 1 : -1) * (1 + rank / 2) * counts[static_cast<std::size_t>(partner)];
}

/// Unequal counts, small integers: the weighted mean is `mean_at` exactly, and so is every partial
/// result. A rank's micro-batches are all alike, but for an empty one first.
HandedInStep weighted_step(int world, int length, bool as_sums) {
  std::vector<int> counts;
  for (int r = 0; r < world; ++r) counts.push_back(1 + r % 3);
  HandedInStep step;
  for (int r = 0; r < world; ++r) {
    const int n = counts[static_cast<std::size_t>(r)];
    const double d = away(r, world, counts);
    HandedIn one{.valid = n, .gradient = {}, .loss = mean_at(0) + d};
    for (int e = 0; e < length; ++e) one.gradient.push_back(mean_at(e) + d * (e + 1));
    if (as_sums) {
      one.loss *= n;
      for (double& g : one.gradient) g *= n;
    }
    const HandedIn none{
        .valid = 0, .gradient = std::vector<double>(one.gradient.size()), .padded = 2};
    step.push_back({none, one, one});
  }
  return step;
}

/// Equal counts: local means are multiples of P K, so that dividing first is exact, too.
HandedInStep equal_step(int world, int length) {
  const std::vector<int> ones(static_cast<std::size_t>(world), 1);
  HandedInStep step;
  for (int r = 0; r < world; ++r) {
    const double d = away(r, world, ones);
    auto& micro_batches = step.emplace_back();
    for (int k : {-1, 1}) {
      HandedIn one{.valid = 2, .gradient = {}, .loss = 2 * world * (mean_at(0) + d + k)};
      for (int e = 0; e < length; ++e) {
        one.gradient.push_back(2 * world * (mean_at(e) + d * (e + 1) + k));
      }
      micro_batches.push_back(one);
    }
  }
  return step;
}

/// Every rank returned `scale` times the mean, exactly, twice in a row, and the count.
void expect_mean(Subject& subject, const HandedInStep& step, double scale, double count,
                 Dtype dtype) {
  const auto results = results_of(subject, one_leaf({step, step}, dtype));
  ASSERT_EQ(results.size(), 2U);
  for (const auto& ranks : results) {
    ASSERT_EQ(ranks.size(), step.size());
    for (const RankResult& result : ranks) {
      for (std::size_t e = 0; e < step[0][0].gradient.size(); ++e) {
        ASSERT_EQ(result.gradient.values()[e], scale * mean_at(static_cast<int>(e)))
            << subject.name() << " P=" << step.size() << " element " << e;
      }
      ASSERT_EQ(result.loss, scale * mean_at(0));
      ASSERT_EQ(result.count, count);
    }
  }
}

double count_of(const HandedInStep& step) {
  double count = 0;
  for (const auto& rank : step) {
    for (const HandedIn& hand : rank) count += hand.valid;
  }
  return count;
}

class EveryTopology : public testing::TestWithParam<const char*> {
 protected:
  static std::unique_ptr<Subject> make(const std::string& parts = "") {
    return make_builtin(GetParam() + parts);
  }
};

TEST_P(EveryTopology, ReturnsTheExactWeightedMeanOfSmallIntegers) {
  for (const char* scaling : {":weight-by-count", ":sum-over-count"}) {
    for (const char* accumulate : kAccumulate) {
      const auto subject = make(std::string(scaling) + accumulate);
      const bool sums = subject->claim().input == InputForm::local_sum;
      for (int world : kWorlds) {
        for (int length : kLengths) {
          const HandedInStep step = weighted_step(world, length, sums);
          expect_mean(*subject, step, 1, count_of(step), length % 3 == 0 ? Dtype::f64 : Dtype::f32);
        }
      }
    }
  }
}

TEST_P(EveryTopology, ReturnsTheExactMeanOfEqualShards) {
  for (const char* scaling : {":divide-after", ":divide-before", ":weight-by-count"}) {
    for (const char* accumulate : kAccumulate) {
      const auto subject = make(std::string(scaling) + accumulate);
      for (int world : kWorlds) {
        for (int length : kLengths) {
          expect_mean(*subject, equal_step(world, length), 2 * world, 4 * world,
                      length % 3 == 0 ? Dtype::f64 : Dtype::f32);
        }
      }
    }
  }
}

TEST_P(EveryTopology, DeclinesAStepWithoutAValidRow) {
  const HandedIn none{.valid = 0, .gradient = {0, 0}, .padded = 1};
  const HandedIn one{.valid = 1, .gradient = {1, 2}};
  for (int world : {1, 3, 4}) {
    const auto ranks = static_cast<std::size_t>(world);
    const HandedInStep full(ranks, {one});
    const HandedInStep empty(ranks, {none});
    const auto subject = make();
    const Outcome outcome = subject->run(one_leaf({full, empty}), Limits{});
    const auto* declined = std::get_if<Declined>(&outcome);
    ASSERT_NE(declined, nullptr) << GetParam();
    EXPECT_EQ(declined->message, "no valid row in step 1");
    EXPECT_EQ(declined->step, 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Reducers, EveryTopology, testing::ValuesIn(kTopologyNames),
                         [](const auto& topology) {
                           std::string text = topology.param;
                           std::erase(text, '-');
                           return text;
                         });

TEST(OtherRightReducers, ReturnTheExactWeightedMeanOfSmallIntegers) {
  for (const char* name : {"running-mean", "kahan"}) {
    const auto subject = make_builtin(name);
    for (int world : kWorlds) {
      const HandedInStep step = weighted_step(world, 5, false);
      expect_mean(*subject, step, 1, count_of(step), Dtype::f32);
    }
  }
}

TEST(OtherRightReducers, PmeanReturnsTheExactMeanOfEqualShards) {
  const auto subject = make_builtin("pmean");
  for (int world : kWorlds) {
    expect_mean(*subject, equal_step(world, 3), 2 * world, 4 * world, Dtype::f32);
  }
}

TEST(OtherRightReducers, SumAndMeanOverRanksReturnTheirOwnTargets) {
  // Rank 0: rows 1, 1, 1 of mean 1; rank 1: one row of 5; rank 2 holds nothing.
  const SharedCase problem = one_leaf({{{{.valid = 3, .gradient = {1}}},
                                        {{.valid = 1, .gradient = {5}}},
                                        {{.valid = 0, .gradient = {0}, .padded = 1}}}});
  EXPECT_EQ(gradient_of(ranks_of("sum", problem)[2]), std::vector{6.0});
  EXPECT_EQ(gradient_of(ranks_of("mean-over-ranks", problem)[2]), std::vector{2.0});
  EXPECT_EQ(gradient_of(ranks_of("sequential", problem)[2]), std::vector{2.0});
}

/// Rounding errors of every order differ: three ranks, 1 + 2^24 - 2^24 in f32.
SharedCase order_matters(int world) {
  HandedInStep step{{{.gradient = {1}}}, {{.gradient = {0x1p24}}}, {{.gradient = {-0x1p24}}}};
  while (static_cast<int>(step.size()) < world) step.push_back({{.gradient = {0x1p-20}}});
  return one_leaf({step});
}

TEST(Order, IsTheOneThatTheTopologyNames) {
  // In rank order 1 + 2^24 is rounded to 2^24 (ties to even), so that 0 is left of the 3 terms.
  EXPECT_EQ(gradient_of(ranks_of("sequential", order_matters(3))[0]), std::vector{0.0});
  EXPECT_EQ(gradient_of(ranks_of("tree", order_matters(3))[0]), std::vector{0.0});
  const double third = round_to(Dtype::f32, 1.0 / 3);
  EXPECT_EQ(gradient_of(ranks_of("kahan", order_matters(3))[0]), std::vector{third});
  EXPECT_EQ(gradient_of(ranks_of("sequential:weight-by-count:f64", order_matters(3))[0]),
            std::vector{third});
}

TEST(Order, OwnRankFirstGivesOtherBitsOnOtherRanks) {
  const auto ranks = ranks_of("own-rank-first", order_matters(3));
  const double third = round_to(Dtype::f32, 1.0 / 3);
  EXPECT_EQ(gradient_of(ranks[0]), std::vector{0.0});    // (1 + 2^24) - 2^24
  EXPECT_EQ(gradient_of(ranks[1]), std::vector{third});  // (2^24 - 2^24) + 1
  EXPECT_EQ(gradient_of(ranks[2]), std::vector{third});  // (-2^24 + 1) + 2^24
}

/// Ordinary values, so that almost every sum is rounded.
SharedCase rounded_case(int world, int length, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  HandedInStep step;
  for (int r = 0; r < world; ++r) {
    auto& micro_batches = step.emplace_back();
    for (int k = 0; k < 2; ++k) {
      HandedIn hand{.valid = 1 + static_cast<int>(random() % 5), .gradient = {}};
      hand.loss = round_to(Dtype::f32, normal(random));
      for (int e = 0; e < length; ++e) {
        hand.gradient.push_back(round_to(Dtype::f32, normal(random)));
      }
      micro_batches.push_back(hand);
    }
  }
  return one_leaf({step});
}

TEST(EqualBits, HoldOnAllRanksWhereClaimed) {
  int compared = 0;
  for (const char* name : {"sequential", "tree", "ring", "halving-doubling", "hierarchical",
                           "ring:weight-by-count:f64", "running-mean", "kahan"}) {
    const auto subject = make_builtin(name);
    ASSERT_TRUE(subject->claim().equal_bits);
    for (int world : kWorlds) {
      const auto ranks = ranks_of(*subject, rounded_case(world, 7, 1));
      for (const RankResult& result : ranks) {
        ASSERT_EQ(gradient_of(result), gradient_of(ranks[0])) << name << " P=" << world;
        ASSERT_EQ(result.loss, ranks[0].loss);
        ASSERT_EQ(result.norm, ranks[0].norm);
        ++compared;
      }
    }
  }
  EXPECT_EQ(compared, 8 * 61);
}

TEST(Rounding, EveryReturnedValueIsOneOfTheDtypeOfTheCase) {
  for (const char* name : {"sequential:weight-by-count:f64", "ring:divide-before:f64", "kahan"}) {
    for (const RankResult& result : ranks_of(name, rounded_case(5, 7, 2))) {
      for (double value : gradient_of(result)) {
        EXPECT_TRUE(representable(Dtype::f32, value)) << name << ' ' << value;
      }
      EXPECT_TRUE(representable(Dtype::f32, *result.loss));
      EXPECT_TRUE(representable(Dtype::f32, *result.norm));
    }
  }
}

TEST(Norm, IsTheOneOfTheReturnedTree) {
  const SharedCase problem = one_leaf({{{{.gradient = {3, -4}}}, {{.gradient = {3, -4}}}}});
  EXPECT_EQ(ranks_of("ring", problem)[1].norm, 5.0);
}

TEST(Norm, IsLeftOutWhereItsSquaresCouldOverflowOrVanish) {
  const auto norm = [](double value) {
    return ranks_of("ring", one_leaf({{{{.gradient = {value}}}}}, Dtype::f64))[0].norm;
  };
  EXPECT_EQ(norm(0x1p600), std::nullopt);
  EXPECT_EQ(norm(0x1p-600), std::nullopt);
  EXPECT_EQ(norm(0x1p400), 0x1p400);
  EXPECT_EQ(norm(0), 0.0);
}

}  // namespace
}  // namespace shardproof
