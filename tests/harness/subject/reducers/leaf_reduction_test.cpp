#include "shardproof/subject/leaf_reduction.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace shardproof {
namespace {

constexpr std::size_t kElements = 1300;  // of several blocks, the last one not full

LeafValues values(std::size_t ranks) {
  std::mt19937 bits(5);
  std::uniform_real_distribution<double> number(-1, 1);
  LeafValues all(ranks, {std::vector<double>(kElements)});
  for (auto& rank : all) {
    for (double& x : rank.front()) x = round_to(Dtype::f32, number(bits));
  }
  return all;
}

/// The sum of f32 terms, from item `first` on and round.
double sum_from(const LeafValues& terms, std::size_t first, std::size_t element) {
  double sum = terms[first % terms.size()].front()[element];
  for (std::size_t i = 1; i < terms.size(); ++i) {
    sum = round_to(Dtype::f32, sum + terms[(first + i) % terms.size()].front()[element]);
  }
  return sum;
}

TEST(LeafReduction, OfARingGoesRoundInChunksOfTheWholeLeaf) {
  constexpr std::size_t kRanks = 5;
  const LeafValues terms = values(kRanks);
  LeafReduction ring{.scaling = LeafScaling::sum, .accumulate = {}};
  ring.order = LeafOrder::ring;
  const std::vector<double> sum = reduce(ring, terms, {kRanks, {1}}, Dtype::f32);
  ASSERT_EQ(sum.size(), kElements);
  for (std::size_t chunk = 0; chunk < kRanks; ++chunk) {
    for (std::size_t e = chunk * kElements / kRanks; e < (chunk + 1) * kElements / kRanks; ++e) {
      EXPECT_EQ(sum[e], sum_from(terms, chunk + 1, e)) << e;
    }
  }
}

TEST(LeafReduction, OfAnyOtherOrderIsThatOfEachElementAlone) {
  const LeafValues terms = values(6);
  const std::vector<std::vector<std::int64_t>> counts{{3}, {1}, {4}, {1}, {5}, {9}};
  for (const LeafOrder order : all_leaf_orders()) {
    if (order == LeafOrder::ring) continue;
    LeafReduction how{.scaling = LeafScaling::weight_divide, .accumulate = {}};
    how.order = order;
    how.seed = 7;
    const std::vector<double> all = reduce(how, terms, counts, Dtype::f32);
    for (std::size_t e = 0; e < kElements; e += 97) {
      LeafValues alone;
      for (const auto& rank : terms) alone.push_back({{rank.front()[e]}});
      EXPECT_EQ(all[e], reduce(how, alone, counts, Dtype::f32).front()) << name(order) << e;
    }
  }
}

}  // namespace
}  // namespace shardproof
