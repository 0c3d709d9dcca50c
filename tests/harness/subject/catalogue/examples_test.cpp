// The figures of faults.json: what each planted fault makes of the example of its report.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "harness/subject/hand_case.h"
#include "shardproof/subject/fault_catalogue.h"

namespace shardproof {
namespace {

using Values = std::vector<double>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// A micro-batch of `valid` rows with that mean.
HandedIn rows(int valid, Values mean, int padded = 0) {
  return {.valid = valid, .gradient = std::move(mean), .padded = padded};
}
/// One row.
HandedIn row(double value) { return rows(1, {value}); }
HandedIn none(std::size_t elements = 1) { return rows(0, Values(elements)); }

struct Example {
  std::string id;
  SharedCase problem;  ///< its last step is the one that is looked at
  Values right;
  std::vector<Values> wrong;  ///< by rank; one entry stands for all
};

/// Examples of one element, in which a mean is the figure that the example sums up.
Example plain(std::string id, const std::vector<HandedInStep>& steps, double right,
              std::vector<Values> wrong) {
  return {std::move(id), one_leaf(steps), {right}, std::move(wrong)};
}

/// `ranks` of one row each.
HandedInStep alike(int ranks, double value) {
  return HandedInStep(static_cast<std::size_t>(ranks), {row(value)});
}

/// Kernel of `features` elements and a bias of one.
SharedCase with_bias(int features, const HandedInStep& step) {
  return hand_case(features, {{.outputs = 1}}, {step});
}

void add_denominators(std::vector<Example>& all) {
  const HandedInStep means{{rows(3, {1})}, {rows(1, {5})}};
  for (const char* id : {"A01", "A05"}) all.push_back(plain(id, {means}, 2, {{3}}));
  all.push_back(plain("A03", {{{row(10)}, {rows(9, {1})}}}, 1.9, {{5.5}}));
  all.push_back(plain("A04", {{{row(1), rows(3, {1})}, {row(5), rows(3, {1})}}}, 1.5, {{2}}));
  all.push_back(plain("A06", {{{row(6)}, {rows(2, {3})}, {rows(3, {1})}}}, 2.5, {{10.0 / 3}}));
  all.push_back(plain("A09", {means}, 2, {{1}}));
  all.push_back(plain("A12", {{{rows(3, {2}, 1)}}}, 2, {{1.5}}));
  all.push_back(plain("A13", {{{rows(4, {2})}}, {{rows(3, {2})}}}, 2, {{1.5}}));
  all.push_back(plain("A14", {{{rows(14, {8})}}}, 8, {{7}}));
  all.push_back({"A15", with_bias(1, {{rows(3, {1, 1})}, {rows(1, {5, 5})}}), {2, 2}, {{3, 2}}});
  all.push_back(plain("A16", {{{rows(3, {0})}, {row(8)}}}, 2, {{4}}));
  all.push_back(
      plain("A17", {{{rows(3, {2}), rows(3, {2})}}, {{rows(3, {2}), rows(3, {2})}}}, 2, {{1}}));
  all.push_back(plain("C01", {{{rows(2, {1}), rows(2, {3}, 4)}}}, 2, {{2.5}}));
  all.push_back(plain("C03", {{{rows(1, {1}, 1)}}}, 1, {{0.5}}));
  all.push_back(plain("C04", {means}, 2, {{4.5}, {1.5}}));
  all.push_back(plain("C05", {{{row(6)}, {rows(3, {2})}}}, 3, {{4}}));
  HandedInStep sixteen = alike(16, 1);
  for (int r = 0; r < 14; ++r) sixteen[static_cast<std::size_t>(r)] = {rows(3, {1})};
  all.push_back(plain("H06", {sixteen}, 1, {{11.0 / 8}}));
}

void add_scales(std::vector<Example>& all) {
  all.push_back(plain("B01", {{{rows(2, {1})}, {rows(2, {3})}}}, 2, {{4}}));
  all.push_back(plain("B04", {alike(8, 8)}, 8, {{1}}));
  for (const char* id : {"B05", "B07"}) {
    all.push_back(plain(id, {{{rows(3, {1})}, {row(5)}}}, 2, {{1}}));
  }
  all.push_back(plain("B06", {HandedInStep(4, {row(4), row(2)})}, 3, {{6}}));
  all.push_back({"B08", with_bias(1, {{rows(1, {1, 1})}, {rows(1, {3, 3})}}), {2, 2}, {{2, 4}}});
  all.push_back({"B09",
                 with_bias(4, {{rows(1, Values(5, 3))}, {rows(1, Values(5, 5))}}),
                 Values(5, 4),
                 {{2, 2, 2, 2, 8}}});
  all.push_back({"B11",
                 one_leaf({HandedInStep(2, {rows(1, Values(33, 4))})}),
                 Values(33, 4),
                 {Values(33, 2)}});
  all.push_back(plain("B12", {alike(4, 2)}, 2, {{4}}));
  all.push_back(plain("B14", {alike(2, 3)}, 3, {{6}}));
  all.push_back(plain("B15", {HandedInStep(2, {row(8), row(8)})}, 8, {{12}}));
  all.push_back(plain("B16", {{{rows(2, {2})}, {rows(2, {2})}}}, 2, {{1}}));
  all.push_back(plain("B20", {alike(2, 3)}, 3, {{6}}));
  all.push_back(plain("D01", {alike(8, 8)}, 8, {{2}}));
  all.push_back({"D02", with_bias(1, HandedInStep(4, {rows(1, {2, 2})})), {2, 2}, {{2, 8}}});
  all.push_back({"D03", with_bias(1, HandedInStep(4, {rows(1, {2, 2})})), {2, 2}, {{2, 4}}});
  all.push_back(plain("D06", {alike(8, 8)}, 8, {{2}}));
  all.push_back(plain("D10", {alike(1, 2)}, 2, {{8}}));
  all.push_back(plain("D11", {alike(8, 2)}, 2, {{1}}));
  all.push_back(plain("D14", {{{rows(2, {6})}}}, 6, {{3}}));
  all.push_back(plain("D16", {alike(4, 3)}, 3, {{6}}));
  all.push_back(plain("F01", {{{row(1), row(1), row(1), row(1)}}}, 1, {{4}}));
  all.push_back(plain("F09", {{{row(1), row(1), row(1), row(1)}}}, 1, {{4}}));
  all.push_back(plain("F02", {{{row(8)}}}, 8, {{2}}));
  all.push_back(plain("K01", {alike(2, 1), alike(2, 1)}, 1, {{0.5}}));
  all.push_back(plain("O02", {alike(2, 1)}, 1, {{2}}));
}

void add_unreduced(std::vector<Example>& all) {
  // Sums of what ranks hold, as means of P times as much.
  for (const char* id : {"B18", "G07", "O05"}) {
    all.push_back(plain(id, {{{row(2)}, {row(6)}}}, 4, {{1}, {3}}));
  }
  all.push_back(plain("O01", {{{row(0)}, {row(4)}}}, 2, {{0}, {4}}));
  all.push_back(plain("O03", {{{row(6)}, {row(10)}}}, 8, {{3}, {5}}));
  all.push_back({"J05",
                 one_leaf({{{rows(1, Values(6, 4))}, {rows(1, Values(6, 6))}}}),
                 Values(6, 5),
                 {Values(6, 2), Values(6, 3)}});
  all.push_back(
      {"D07", with_bias(1, {{rows(1, {2, 14})}, {rows(1, {6, -16})}}), {4, -1}, {{4, 7}, {4, -8}}});
  all.push_back(
      {"D09", with_bias(1, HandedInStep(2, {rows(1, {30, 100})})), {30, 100}, {{30, 200}}});
  all.push_back(plain("E08", {{{row(1)}, {row(3)}}}, 2, {{1}, {3}}));
  const HandedInStep two_each{{row(1), row(1)}, {row(3), row(3)}};
  all.push_back(plain("E12", {two_each, two_each}, 2, {{1}, {3}}));
  all.push_back(
      {"G04", one_leaf({{{rows(1, {1, 1})}, {rows(1, {3, 3})}}}), {2, 2}, {{2, 1}, {3, 2}}});
  all.push_back(plain("K02", {{{row(2), row(2)}, {row(2), row(6)}}}, 3, {{2}, {4}}));
  all.push_back(plain("G01", {{{rows(3, {1})}, {row(5)}}}, 2, {{18.0 / 5}, {6}}));
  Values ring_right(6, 4);
  all.push_back({"P03",
                 one_leaf({HandedInStep(4, {rows(1, ring_right)})}),
                 ring_right,
                 {{4, 4, 4, 4, 1, 1}}});
}

void add_lost(std::vector<Example>& all) {
  all.push_back({"E06", one_leaf({HandedInStep(2, {rows(1, {2, 2, 2})})}), {2, 2, 2}, {{2, 2, 1}}});
  // Sums over micro-batches, as means of K times as much.
  all.push_back(plain("E09", {{{row(3), row(6), row(18)}}}, 9, {{6}}));
  all.push_back(plain("E11", {{{row(4), row(4), row(4), row(20)}}}, 8, {{5}}));
  const HandedInStep four{{row(4), row(8), row(12), row(16)}};
  all.push_back(plain("F03", {four, four}, 10, {{9}}));
  for (const char* id : {"F04", "F06"}) {
    all.push_back(plain(id, {{{row(6), row(10)}}}, 8, {{5}}));
  }
  all.push_back(plain("I04", {{{row(0)}, {row(4)}, {row(8)}, {row(12)}}}, 6, {{3}}));
  all.push_back(
      {"I05",
       one_leaf({{{rows(1, Values(4, 15))}, {rows(1, Values(4, 3))}, {rows(1, Values(4, 6))}}}),
       Values(4, 8),
       {Values(4, 6)}});
  all.push_back(plain("I10", {{{row(4)}, {row(6)}}}, 5, {{7}, {8}}));
  const HandedInStep one_of_four{{rows(1, {8})}, {none()}, {none()}, {none()}};
  all.push_back(plain("E04", {one_of_four}, 8, {{2}}));
  all.push_back(plain("E05", {{{row(3)}, {row(3)}, {none()}}}, 3, {{2}}));
  all.push_back(plain("F11", {{{row(8), none(), none(), none()}}}, 8, {{2}}));
  all.push_back(plain("L05", {{{row(6), none(), none()}}}, 6, {{2}}));
  all.push_back(plain("L01", {{{none()}, {rows(2, {3})}}}, 3, {{kNaN}}));
  all.push_back(plain("L02", {{{row(6)}, {none()}}}, 6, {{kNaN}}));
  all.push_back(plain("L06", {{{row(1.5)}, {none()}}}, 1.5, {{kNaN}}));
  all.push_back(plain("F07", {{{rows(100, {2}), rows(900, {0.5})}}}, 0.65, {{1.25}}));
}

void add_misplaced(std::vector<Example>& all) {
  all.push_back({"I01", with_bias(1, HandedInStep(2, {rows(1, {1, 9})})), {1, 9}, {{9, 9}}});
  all.push_back({"J02", one_leaf({HandedInStep(2, {rows(1, {2, 0})})}), {2, 0}, {{0, 2}}});
  all.push_back({"J04",
                 one_leaf({{{rows(1, {2, 4, 6})}, {rows(1, {20, 40, 60})}}}),
                 {11, 22, 33},
                 {{21, 32, 13}}});
  const auto in_order = [](const std::vector<HandedInStep>& steps, std::vector<int> arrival) {
    Case problem = *one_leaf(steps);
    problem.arrival = std::move(arrival);
    return std::make_shared<const Case>(std::move(problem));
  };
  all.push_back({"I02", in_order({{{row(1)}, {row(3)}}}, {1, 0}), {2}, {{2}, {3}}});
  all.push_back(plain("I06", {{{row(2)}, {row(20)}}, {{row(2)}, {row(6)}}}, 4, {{11}}));
  all.push_back(plain("I08", {alike(2, 1), alike(2, 2), alike(2, 3)}, 3, {{2}}));
  all.push_back(plain("N02", {{{row(2)}, {row(16)}}}, 9, {{2}}));
  all.push_back({"N03", with_bias(1, HandedInStep(2, {rows(1, {400, 1})})), {400, 1}, {{400, 0}}});
  all.push_back(plain("H01", {alike(2, 40000)}, 40000, {{kInfinity}}));
  all.push_back(plain("H02", {alike(2, 0x1p-18)}, 0x1p-18, {{0}}));
  all.push_back(plain("H05", {{{row(4)}, {row(6)}}}, 5, {{0}}));
  all.push_back({"H07", one_leaf({HandedInStep(2, {rows(1, {1.5})})}), {1.5}, {{0}}});
  all.push_back({"H09", with_bias(1, HandedInStep(2, {rows(1, {1, 1})})), {1, 1}, {{1, 0}}});
}

std::vector<Example> examples() {
  std::vector<Example> all;
  add_denominators(all);
  add_scales(all);
  add_unreduced(all);
  add_lost(all);
  add_misplaced(all);
  return all;
}

/// The value of a prediction of hand-made contributions, which are local means.
double value_of(const Prediction& prediction, const Case& problem) {
  if (prediction.exactly) return *prediction.exactly;
  double sum = 0;
  for (const PredictedTerm& term : prediction.terms) {
    const GivenContributions::Item& given =
        problem.given->items[static_cast<std::size_t>(term.step)][term.shard][term.micro_batch];
    sum += static_cast<double>(term.weight.numerator) *
           term.number.value_or(given.gradient[term.element]) /
           static_cast<double>(term.weight.denominator);
  }
  return sum;
}

/// What ranks handed in: [step][shard][micro-batch].
std::vector<std::vector<std::vector<Contribution>>> contributions_of(const Case& problem) {
  const SharedShape shape = tree_shape(problem.model);
  std::vector<std::vector<std::vector<Contribution>>> all;
  for (const auto& step : problem.given->items) {
    auto& of_step = all.emplace_back();
    for (const auto& shard : step) {
      auto& of_shard = of_step.emplace_back();
      for (const GivenContributions::Item& item : shard) {
        of_shard.emplace_back().gradient = Tree(shape, item.gradient);
      }
    }
  }
  return all;
}

void expect_value(double expected, double value, const std::string& what) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(value)) << what << ": " << value;
  } else {
    EXPECT_DOUBLE_EQ(expected, value) << what;
  }
}

void check_element(const Example& example, const Fault& fault, std::size_t rank,
                   std::size_t element) {
  const Claim claim;
  const SharedShape shape = tree_shape(example.problem->model);
  const auto contributions = contributions_of(*example.problem);
  const ResultSite site{.problem = *example.problem,
                        .claim = claim,
                        .shape = *shape,
                        .contributions = &contributions,
                        .step = static_cast<int>(example.problem->steps.size()) - 1,
                        .rank = rank,
                        .element = element};
  const std::string what =
      example.id + " rank " + std::to_string(rank) + " element " + std::to_string(element);
  const Values& wrong = example.wrong[example.wrong.size() == 1 ? 0 : rank];
  const auto predicted = predict(fault, site);
  ASSERT_TRUE(predicted) << what;
  expect_value(wrong[element], value_of(*predicted, *example.problem), what);
  const auto right = predict(Fault{}, site);
  ASSERT_TRUE(right) << what;
  expect_value(example.right[element], value_of(*right, *example.problem), what + ", right");
}

TEST(FaultExamples, AreWhatTheFaultPredicts) {
  for (const Example& example : examples()) {
    const ReportedFault* reported = find_reported_fault(example.id);
    ASSERT_NE(reported, nullptr) << example.id;
    const auto* fault = std::get_if<Fault>(&reported->planted.what);
    ASSERT_NE(fault, nullptr) << example.id;
    const auto ranks = static_cast<std::size_t>(example.problem->world_size().value);
    for (std::size_t r = 0; r < ranks; ++r) {
      for (std::size_t e = 0; e < example.right.size(); ++e) check_element(example, *fault, r, e);
    }
  }
}

TEST(FaultExamples, StandForMostPlantedFaults) {
  std::size_t planted = 0;
  for (const ReportedFault& fault : reported_faults()) planted += fault.left_out.empty() ? 1 : 0;
  EXPECT_GT(10 * examples().size(), 8 * planted);
}

}  // namespace
}  // namespace shardproof
