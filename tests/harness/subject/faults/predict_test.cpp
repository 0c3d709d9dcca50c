// The two interpreters of a fault agree: what it returns is what is predicted of it.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "shardproof/case/error.h"
#include "shardproof/generators/cases.h"
#include "shardproof/subject/builtin.h"
#include "shardproof/subject/fault_catalogue.h"

namespace shardproof {
namespace {

constexpr int kCases = 40;

double mean_of(const Contribution& contribution, std::size_t element) {
  const std::span<const double> values = contribution.gradient.values();
  return element < values.size() ? values[element] : contribution.loss;
}

/// A predicted value with the sum of its terms' magnitudes.
struct Value {
  double value = 0;
  double magnitude = 0;
};

Value value_of(const Prediction& prediction, const Returned& returned) {
  if (prediction.exactly) return {*prediction.exactly, 0};
  Value sum;
  for (const PredictedTerm& term : prediction.terms) {
    const Contribution& contribution =
        returned.contributions[static_cast<std::size_t>(term.step)][term.shard][term.micro_batch];
    const double mean = term.number.value_or(mean_of(contribution, term.element));
    const double part = static_cast<double>(term.weight.numerator) * mean /
                        static_cast<double>(term.weight.denominator);
    sum.value += part;
    sum.magnitude += std::abs(part);
  }
  return sum;
}

/// Far more than the rounding of these small cases, and far less than any fault moves a value by.
bool near(double returned, const Value& predicted, Dtype dtype) {
  if (std::isnan(predicted.value)) return std::isnan(returned);
  if (!std::isfinite(predicted.value)) return !std::isfinite(returned);
  return std::abs(returned - predicted.value) <=
         1000 * format(dtype).unit_roundoff * predicted.magnitude;
}

/// Values near the ends of the range are rounded, overflow and underflow in ways of their own.
bool judgeable(const Value& predicted, Dtype dtype) {
  if (predicted.magnitude == 0) return true;
  return predicted.magnitude > 0x1p40 * format(dtype).smallest_normal &&
         predicted.magnitude < 0x1p-40 * format(dtype).largest;
}

struct Agreement {
  int predicted = 0;
  int unknown = 0;
  std::string difference{};  ///< the first one
};

/// Whether every rank handed in finite values of the element; predictions are exact sums of them.
bool finite_terms(const Returned& returned, std::size_t step, std::size_t element) {
  for (const std::vector<Contribution>& rank : returned.contributions[step]) {
    for (const Contribution& c : rank) {
      const bool loss = element == c.gradient.values().size();
      if (!std::isfinite(loss ? c.loss : c.gradient.values()[element])) return false;
    }
  }
  return true;
}

void compare(const Fault& fault, const Subject& subject, const Case& problem,
             const Returned& returned, Agreement& agreement) {
  const SharedShape shape = tree_shape(problem.model);
  for (std::size_t s = 0; s < returned.results.size(); ++s) {
    for (std::size_t r = 0; r < returned.results[s].size(); ++r) {
      for (std::size_t e = 0; e <= shape->size; ++e) {
        if (!finite_terms(returned, s, e)) continue;
        const auto prediction = predict(fault, {.problem = problem,
                                                .claim = subject.claim(),
                                                .shape = *shape,
                                                .contributions = &returned.contributions,
                                                .step = static_cast<int>(s),
                                                .rank = r,
                                                .element = e});
        if (!prediction) {
          ++agreement.unknown;
          continue;
        }
        const RankResult& result = returned.results[s][r];
        const double value = e < shape->size ? result.gradient.values()[e] : *result.loss;
        const Value expected = value_of(*prediction, returned);
        if (!judgeable(expected, problem.dtype)) continue;
        ++agreement.predicted;
        if (near(value, expected, problem.dtype)) continue;
        agreement.difference = "step " + std::to_string(s) + " rank " + std::to_string(r) +
                               " element " + std::to_string(e) + ": " + std::to_string(value) +
                               ", predicted " + std::to_string(expected.value);
        return;
      }
    }
  }
}

void expect_agreement(const std::string& id, const Fault& fault) {
  const auto subject = make_builtin("fault:" + id);
  Agreement agreement;
  for (int i = 0; i < kCases; ++i) {
    const auto problem = std::make_shared<const Case>(
        draw_case(1, i, subject->claim(), subject->kind(), {.max_world = 6}));
    const Outcome outcome = subject->run(problem, Limits{});
    const auto* returned = std::get_if<Returned>(&outcome);
    if (returned == nullptr) continue;
    compare(fault, *subject, *problem, *returned, agreement);
    ASSERT_EQ(agreement.difference, "")
        << "fault:" << id << ", case " << i << ": " << describe(fault);
  }
  EXPECT_GT(agreement.predicted, 20 * agreement.unknown) << "fault:" << id;
  EXPECT_GT(agreement.predicted, 1000) << "fault:" << id;
}

TEST(Predict, FindsWhatEveryKnownFaultReturns) {
  for (const KnownFault& known : known_faults()) expect_agreement(known.name, known.fault);
}

TEST(Predict, FindsWhatEveryReportedFaultReturns) {
  for (const ReportedFault& reported : reported_faults()) {
    if (!reported.left_out.empty()) continue;
    const auto* fault = std::get_if<Fault>(&reported.planted.what);
    if (fault != nullptr) expect_agreement(reported.id, *fault);
  }
}

}  // namespace
}  // namespace shardproof
