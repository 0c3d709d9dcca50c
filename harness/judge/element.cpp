#include "judge/element.h"

#include <cmath>

#include "shardproof/exact/exact_sum.h"

namespace shardproof {
namespace {

constexpr int kLimitSteps = 4096;  // the guess is right to a few units in the last place

/// value * divisor - numerator
ExactSum difference(double value, const ElementReference& reference) {
  ExactSum sum;
  sum.add(value, reference.divisor);
  sum.add(reference.numerator, 1, true);
  return sum;
}

}  // namespace

bool ElementJudge::above(double value) const {
  if (!std::isfinite(value)) return !(value < 0);
  return difference(value, reference_).sign() > 0;
}

bool ElementJudge::within(double value) const {
  if (std::isinf(reference_.bound)) return true;
  ExactSum sum = difference(value, reference_);
  const int side = sum.sign();
  if (side == 0) return true;
  sum.add(-side * reference_.bound, reference_.divisor);
  sum.add(-side * last_rounding(arithmetic_, output_, value, side < 0), reference_.divisor);
  return sum.sign() != side;
}

ElementJudge::Ruling ElementJudge::rule(double value) const {
  if (reference_.unjudged) return Ruling::undecided;
  if (reference_.demanded) {
    const bool met =
        std::isnan(*reference_.demanded) ? std::isnan(value) : value == *reference_.demanded;
    return met ? Ruling::accepted : Ruling::refuted;
  }
  if (!std::isfinite(value)) {
    return reference_.may_overflow ? Ruling::undecided : Ruling::refuted;
  }
  return within(value) ? Ruling::accepted : Ruling::refuted;
}

double ElementJudge::limit_towards(double value) const {
  const bool up = above(value);
  const double exact =
      reference_.numerator.magnitude_up() / static_cast<double>(reference_.divisor);
  const double centre = reference_.numerator.negative() ? -exact : exact;
  const auto outward = [&](double v) { return up ? next_up(output_, v) : next_down(output_, v); };
  const auto inward = [&](double v) { return up ? next_down(output_, v) : next_up(output_, v); };
  double limit = round_to(output_, up ? centre + reference_.bound : centre - reference_.bound);
  if (!std::isfinite(limit)) limit = std::copysign(format(output_).largest, limit);
  for (int i = 0; i < kLimitSteps && !within(limit); ++i) limit = inward(limit);
  for (int i = 0; i < kLimitSteps; ++i) {
    const double next = outward(limit);
    if (!std::isfinite(next) || !within(next)) break;
    limit = next;
  }
  return limit;
}

}  // namespace shardproof
