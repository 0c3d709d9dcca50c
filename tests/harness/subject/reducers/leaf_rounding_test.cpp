#include "subject/reducers/leaf_rounding.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace shardproof {
namespace {

/// Bits at random: all sizes, subnormal ones, infinities and NaN of every format.
std::vector<double> leaf(std::uint64_t seed) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::mt19937_64 bits(seed);
  std::vector<double> values{0.0, -0.0, kInfinity, -kInfinity, NAN, 65504, 65519.99, 65520};
  for (int i = 0; i < 2000; ++i) {
    values.push_back(std::bit_cast<double>(bits()));
    values.push_back(std::ldexp(std::bit_cast<double>((bits() >> 12) | 0x3ff0000000000000U),
                                static_cast<int>(bits() % 320) - 160));
  }
  return values;
}

/// As verdicts compare: all NaN are equal, -0 equals 0.
void expect_same(const std::vector<double>& got, const std::vector<double>& due) {
  ASSERT_EQ(got.size(), due.size());
  for (std::size_t e = 0; e < due.size(); ++e) {
    if (std::isnan(due[e])) {
      EXPECT_TRUE(std::isnan(got[e])) << e;
    } else {
      EXPECT_EQ(got[e], due[e]) << e;
    }
  }
}

class LeafRounding : public testing::TestWithParam<Dtype> {
 protected:
  [[nodiscard]] double round(double x) const { return round_to(GetParam(), x); }
};
INSTANTIATE_TEST_SUITE_P(, LeafRounding, testing::ValuesIn(all_dtypes()),
                         [](const auto& of) { return std::string(name(of.param)); });

TEST_P(LeafRounding, OfEachOperationIsThatOfEachElement) {
  const std::vector<double> given = leaf(1);
  const auto check = [&](auto loop, auto each) {
    std::vector<double> got = given;
    loop(got);
    std::vector<double> due;
    for (double x : given) due.push_back(round(each(x)));
    expect_same(got, due);
  };
  check([](auto& x) { convert(GetParam(), x); }, [](double x) { return x; });
  check([](auto& x) { multiply(GetParam(), x, 3); }, [](double x) { return x * 3; });
  check([](auto& x) { divide(GetParam(), x, 7); }, [](double x) { return x / 7; });
}

TEST_P(LeafRounding, OfEachSumIsThatOfEachElement) {
  const std::vector<double> terms = leaf(2);
  std::vector<double> plain = leaf(1);
  std::vector<double> sums = plain;
  std::vector<double> lost(sums.size());
  std::vector<double> means = plain;
  std::vector<double> due_plain;
  std::vector<double> due_sums;
  std::vector<double> due_lost;
  std::vector<double> due_means;
  for (std::size_t e = 0; e < terms.size(); ++e) {
    const double before = plain[e];
    due_plain.push_back(round(before + terms[e]));
    due_sums.push_back(round(before + round(terms[e])));
    due_lost.push_back(round(round(due_sums[e] - before) - round(terms[e])));
    due_means.push_back(round(before + round(round(terms[e] - before) * 0.25)));
  }
  add(GetParam(), plain, terms);
  add_compensated(GetParam(), sums, lost, terms);
  move_mean(GetParam(), means, terms, 0.25);
  expect_same(plain, due_plain);
  expect_same(sums, due_sums);
  expect_same(lost, due_lost);
  expect_same(means, due_means);
}

}  // namespace
}  // namespace shardproof
