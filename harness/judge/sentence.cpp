#include "judge/sentence.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>

#include "shardproof/exact/rational.h"

namespace shardproof {
namespace {

constexpr int kLimitDigits = 9;  // enough to tell f32 limits apart
constexpr int kLimitDigits64 = 17;
constexpr int kEnoughDigits = 6;  // tell any two values of a 16-bit format apart

template <class T>
std::string shortest_of(T value) {
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return {buffer, end};
}

/// What the claim lets a right subject choose, as the subject of `gives more than`.
std::string freedom(const Claim& claim) {
  const char* order =
      claim.summation == Summation::tree ? "no tree of additions" : "no order of summation";
  if (claim.roundings) return fmt::format("{} and no rounding that the claim allows gives", order);
  return fmt::format("{} and no placement of the division gives", order);
}

std::string what_is_due(const ElementReference& reference, const ElementJudge& judge,
                        double returned, const Trial& trial, Failure& failure) {
  if (reference.demanded) {
    failure.exact = std::isnan(*reference.demanded) ? "NaN" : shortest_of(*reference.demanded);
    return fmt::format("its inputs give {} in every order", failure.exact);
  }
  failure.exact = readable(reference.numerator, reference.divisor);
  if (!std::isfinite(returned)) {
    return fmt::format("exact {}; no intermediate value can overflow", failure.exact);
  }
  const bool above = judge.above(returned);
  const double limit = judge.limit_towards(returned);
  const int digits = output_dtype(trial) == Dtype::f64 ? kLimitDigits64 : kLimitDigits;
  failure.limit = above ? decimal_up(limit, digits) : decimal_down(limit, digits);
  return fmt::format("exact {}; {} {} than {}", failure.exact, freedom(*trial.claim),
                     above ? "more" : "less", failure.limit);
}

}  // namespace

std::string shortest(Dtype dtype, double value) {
  if (dtype == Dtype::f64 || !representable(dtype, value)) return shortest_of(value);
  if (dtype == Dtype::f32) return shortest_of(static_cast<float>(value));
  for (int digits = 1; digits < kEnoughDigits; ++digits) {
    const std::string text = fmt::format("{:.{}g}", value, digits);
    double read = 0;
    std::from_chars(text.data(), text.data() + text.size(), read);
    if (round_to(dtype, read) == value) return text;
  }
  return shortest_of(static_cast<float>(value));
}

std::string bits(Dtype dtype, double value) {
  const Dtype encoded = representable(dtype, value) ? dtype : Dtype::f64;
  const int width = encoded == Dtype::f64 ? 18 : encoded == Dtype::f32 ? 10 : 6;
  return fmt::format("{:#0{}x}", encoding(encoded, value), width);
}

std::string who(const Failure& failure) {
  if (failure.every_rank) return "every rank";
  return failure.rank ? fmt::format("rank {}", failure.rank->index) : "the subject";
}

Failure refuted_element(const Place& place, const ElementReference& reference,
                        const ElementJudge& judge, double returned, const Trial& trial) {
  Failure failure;
  failure.kind = place.kind;
  failure.step = place.step;
  failure.rank = place.rank;
  failure.every_rank = place.every_rank;
  failure.element = place.element;
  failure.basis = place.basis;
  failure.returned = returned;
  const std::string step = place.steps > 1 ? fmt::format("step {}, ", place.step) : "";
  const std::string due = what_is_due(reference, judge, returned, trial, failure);
  failure.sentence = fmt::format("{}{}: {} returned {}; {}", step, place.element, who(failure),
                                 shortest(output_dtype(trial), returned), due);
  return failure;
}

}  // namespace shardproof
