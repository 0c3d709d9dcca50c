#include <fmt/format.h>

#include <cmath>

#include "judge/references.h"
#include "judge/sentence.h"
#include "judge/steps.h"
#include "shardproof/judge/judge.h"

namespace shardproof {
namespace {

/// A value that was made from no row at all.
struct Number {
  std::string element;
  double value = 0;
};

bool harmless(double value, AllEmpty policy) {
  return value == 0 || (policy == AllEmpty::nan_allowed && std::isnan(value));
}

std::optional<Number> number_in(const RankResult& result, AllEmpty policy) {
  const std::span<const double> values = result.gradient.values();
  for (std::size_t e = 0; e < values.size(); ++e) {
    if (!harmless(values[e], policy)) {
      return Number{element_name(result.gradient.shape(), e), values[e]};
    }
  }
  if (result.loss && !harmless(*result.loss, policy)) return Number{"loss", *result.loss};
  if (result.norm && !harmless(*result.norm, policy)) return Number{"norm", *result.norm};
  if (result.count && *result.count != 0) return Number{"count", *result.count};
  return std::nullopt;
}

/// A parameter that moved although there was nothing to learn from.
std::optional<Number> moved_parameter(const RankResult& result, std::span<const double> before,
                                      AllEmpty policy) {
  if (!result.parameters) return std::nullopt;
  const std::span<const double> after = result.parameters->values();
  const std::size_t at = first_difference(before, after);
  if (at == after.size()) return std::nullopt;
  if (policy == AllEmpty::nan_allowed && std::isnan(after[at])) return std::nullopt;
  return Number{"updated " + element_name(result.parameters->shape(), at), after[at]};
}

Failure from_nothing(const Trial& trial, std::size_t step, std::size_t rank, const Number& number) {
  Failure failure;
  failure.kind = FailureKind::number_from_nothing;
  failure.step = static_cast<int>(step);
  failure.rank = Rank{static_cast<int>(rank)};
  failure.element = number.element;
  failure.returned = number.value;
  failure.sentence = fmt::format(
      "step {}, {}: rank {} returned {}, though no row of the step is valid; an error{} would do",
      step, number.element, rank, shortest(output_dtype(trial), number.value),
      number.element.starts_with("updated") ? " or no update" : " or zeros");
  return failure;
}

}  // namespace

Verdict judge_empty_steps(const Trial& trial) {
  if (auto failure = failure_without_result(trial)) return *failure;
  const Returned* returned = std::get_if<Returned>(&trial.outcome);
  if (returned == nullptr) return Consistent{};  // an error on purpose
  const AllEmpty policy = trial.claim->all_empty;
  bool any = false;
  for (std::size_t s = 0; s < returned->results.size(); ++s) {
    if (trial.problem->steps[s].valid().value > 0) continue;
    any = true;
    for (std::size_t r = 0; r < returned->results[s].size(); ++r) {
      const RankResult& result = returned->results[s][r];
      if (auto number = number_in(result, policy)) return from_nothing(trial, s, r, *number);
      const std::span<const double> before =
          parameters_before(trial, *returned, static_cast<int>(s), static_cast<int>(r));
      if (auto number = moved_parameter(result, before, policy)) {
        return from_nothing(trial, s, r, *number);
      }
    }
  }
  if (any) return Consistent{};
  return NotApplicable{"every step has a valid row"};
}

}  // namespace shardproof
