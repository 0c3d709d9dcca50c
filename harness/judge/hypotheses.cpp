#include "judge/hypotheses.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "shardproof/subject/fault_catalogue.h"

namespace shardproof {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

const Step& step_of(const ResultSite& site) {
  return site.problem.steps[static_cast<std::size_t>(site.step)];
}

Hypothesis of(const KnownFault& known) {
  const bool of_leaves =
      known.family == FaultFamily::leaf_scale || known.family == FaultFamily::mix_leaves;
  return {.name = known.name,
          .formula = known.formula,
          .meaning = known.meaning,
          .fix = known.fix,
          .predict = [&known](const ResultSite& site) { return predict(known.fault, site); },
          .of_leaves = of_leaves};
}

/// What the catalogue leaves open: a step without any valid row.
Hypothesis nan_from_nothing() {
  return {.name = "nan-from-nothing",
          .formula = "0 / 0",
          .meaning = "NaN where no row of the step is valid",
          .fix = "divide by max(count, 1), or refuse the step",
          .predict = [](const ResultSite& site) -> std::optional<Prediction> {
            if (step_of(site).valid().value > 0) return std::nullopt;
            return Prediction{.terms = {}, .exactly = kNaN};
          }};
}

/// Whether a product with it may be no number: infinities, NaN, and what is squared beyond f32.
bool is_wild(double value) {
  constexpr double kLarge = 0x1p60;
  return !(std::abs(value) < kLarge);
}

bool any_wild(std::span<const double> values) { return std::ranges::any_of(values, is_wild); }

/// Whether a padded row times zero is NaN in an element: where a residual of its layer is no
/// number.
bool padding_gives_nan(const ResultSite& site, const MicroBatch& rows) {
  const std::size_t count = rows.mask.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (rows.mask[i] != 0) continue;
    const std::size_t features = rows.x.size() / count;
    const std::size_t outputs = rows.y.size() / count;
    const std::span<const double> x = std::span(rows.x).subspan(i * features, features);
    const std::span<const double> y = std::span(rows.y).subspan(i * outputs, outputs);
    if (any_wild(x)) return true;
    if (site.element == site.shape.size && any_wild(y)) return true;
    std::size_t output = 0;
    for (const LeafShape& leaf : site.shape.leaves) {
      const auto columns = static_cast<std::size_t>(leaf.columns);
      const bool inside = site.element >= leaf.offset && site.element < leaf.offset + leaf.size();
      if (inside && is_wild(y[output + (site.element - leaf.offset) % columns])) return true;
      const bool ends_layer = &leaf == &site.shape.leaves.back() || !(&leaf)[1].is_bias;
      if (ends_layer) output += columns;
    }
  }
  return false;
}

/// Zero times what stands in a padded row is no zero where that is no number.
Hypothesis mask_by_multiplication() {
  return {.name = "mask-by-multiplication",
          .formula = "NaN where a padded row holds NaN, an infinity or what overflows",
          .meaning = "padded rows are multiplied by zero, which leaves NaN",
          .fix = "select rows instead of multiplying them",
          .predict = [](const ResultSite& site) -> std::optional<Prediction> {
            for (const Shard& shard : step_of(site).shards) {
              for (const MicroBatch& rows : shard.micro_batches) {
                if (padding_gives_nan(site, rows)) return Prediction{.terms = {}, .exactly = kNaN};
              }
            }
            return std::nullopt;
          }};
}

Hypothesis loss_after_update() {
  return {.name = "loss-after-update",
          .formula = "the loss at the updated parameters",
          .meaning = "the loss is computed after the update",
          .fix = "return the loss of the parameters that the step began with",
          .predict = [](const ResultSite& site) -> std::optional<Prediction> {
            if (site.element != site.shape.size) return std::nullopt;
            return multiple_of_gradient(1, site);
          },
          .after_update = true};
}

}  // namespace

std::span<const Hypothesis> known_hypotheses() {
  static const std::vector<Hypothesis> all = [] {
    std::vector<Hypothesis> made;
    for (const KnownFault& known : known_faults()) made.push_back(of(known));
    made.push_back(nan_from_nothing());
    made.push_back(mask_by_multiplication());
    made.push_back(loss_after_update());
    for (Hypothesis& one : piece_hypotheses()) made.push_back(std::move(one));
    return made;
  }();
  return all;
}

}  // namespace shardproof
