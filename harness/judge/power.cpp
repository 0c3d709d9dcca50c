#include "judge/power.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "exact/magnitude.h"
#include "judge/references.h"

namespace shardproof {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// The last rounding grows with the error that it hides; it has a few sizes at most in reach.
constexpr int kMostRefinements = 8;

bool decides(const ElementReference& reference) {
  return !reference.unjudged && !reference.demanded && !reference.may_overflow &&
         std::isfinite(reference.bound) && !reference.numerator.zero();
}

double best_of(std::span<const ElementReference> elements, std::size_t count,
               const Arithmetic& arithmetic, Dtype output) {
  double best = kInfinity;
  // Elements of the tree only: the loss stands behind them.
  for (const ElementReference& element : elements.first(std::min(count, elements.size()))) {
    best = std::min(best, smallest_visible_error(element, arithmetic, output));
  }
  return best;
}

/// The least relative error that a denominator which is off by one makes: it is one too large.
double off_by_one(const Case& problem, const Step& step) {
  const auto ranks = static_cast<std::int64_t>(problem.world_size().value);
  return 1 / static_cast<double>(std::max(step.valid().value, ranks) + 1);
}

}  // namespace

double smallest_visible_error(const ElementReference& reference, const Arithmetic& arithmetic,
                              Dtype output) {
  if (!decides(reference)) return kInfinity;
  const auto divisor = static_cast<double>(reference.divisor);  // exact: below 2^53
  const Magnitude exact = Magnitude{reference.numerator.magnitude_up()} / divisor;
  const Magnitude bound{reference.bound};
  constexpr double kDown = 1 - 4 * std::numeric_limits<double>::epsilon();
  const double least = reference.numerator.magnitude_down() / divisor * kDown;
  const double room = (least - reference.bound) * kDown;
  if (!(room > 0)) return kInfinity;
  double gap = last_rounding(arithmetic, output, (exact + bound).value(), true);
  for (int i = 0; i < kMostRefinements; ++i) {
    const Magnitude half{gap};
    const Magnitude error = (bound + bound + half + half) / room;
    // Where the wrong result may lie, and so how far its own last rounding may move it.
    const double furthest = ((kOne + error) * (exact + bound) + half).value();
    if (!(furthest <= format(output).largest)) return kInfinity;
    const double wider = last_rounding(arithmetic, output, furthest, true);
    if (wider <= gap) return error.value();
    gap = wider;
  }
  return kInfinity;
}

std::optional<Power> power_of(const Trial& trial) {
  const Verdict* verdict = trial.gradient_verdict_made();
  if (verdict == nullptr || !std::holds_alternative<Consistent>(*verdict)) return std::nullopt;
  const Case& problem = *trial.problem;
  const std::size_t elements = tree_shape(problem.model)->size;
  const Dtype output = output_dtype(trial);
  const std::vector<StepReferences>& steps = trial.references().steps;
  Power power{.smallest_error = kInfinity, .weak = true};
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const double best =
        std::min(best_of(steps[s].alone, elements, steps[s].arithmetic, output),
                 best_of(steps[s].end_to_end, elements, steps[s].arithmetic, output));
    power.smallest_error = std::min(power.smallest_error, best);
    power.weak = power.weak && !(best <= off_by_one(problem, problem.steps[s]));
  }
  return power;
}

}  // namespace shardproof
