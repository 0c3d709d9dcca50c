#include "shardproof/generators/coverage.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "space.h"
#include "special.h"

namespace shardproof {
namespace {

/// Whether `holds` of any micro-batch of any step.
template <class Holds>
bool any_micro_batch(const Case& problem, Holds holds) {
  for (const Step& step : problem.steps) {
    for (const Shard& shard : step.shards) {
      if (std::any_of(shard.micro_batches.begin(), shard.micro_batches.end(), holds)) return true;
    }
  }
  return false;
}

/// Whether `holds` of any value in a row that is valid, or is padding.
template <class Holds>
bool any_row_value(const MicroBatch& rows, bool valid, Holds holds) {
  const auto any = [&](const std::vector<double>& values) {
    const std::size_t columns = rows.mask.empty() ? 1 : values.size() / rows.mask.size();
    for (std::size_t i = 0; i < values.size(); ++i) {
      if ((rows.mask[i / columns] != 0) == valid && holds(values[i])) return true;
    }
    return false;
  };
  return any(rows.x) || any(rows.y);
}

/// Whether `holds` of any value that the gradient depends on.
template <class Holds>
bool any_value(const Case& problem, Holds holds) {
  return std::any_of(problem.model.parameters.begin(), problem.model.parameters.end(), holds) ||
         any_micro_batch(problem,
                         [&](const MicroBatch& rows) { return any_row_value(rows, true, holds); });
}

bool has_subnormal_values(const Case& problem) {
  const double least = format(problem.dtype).smallest_normal;
  return any_value(problem, [=](double v) { return v != 0 && std::fabs(v) < least; });
}

bool has_values_near_overflow(const Case& problem) {
  const double least = least_near_overflow(problem.dtype);
  return any_value(problem, [=](double v) { return std::fabs(v) >= least; });
}

bool has_padding_that_is_not_finite(const Case& problem) {
  return any_micro_batch(problem, [](const MicroBatch& rows) {
    return any_row_value(rows, false, [](double v) { return !std::isfinite(v); });
  });
}

bool has_unlike_leaves(const Case& problem) {
  const SharedShape shape = tree_shape(problem.model);
  const std::vector<LeafShape>& leaves = shape->leaves;
  return std::any_of(leaves.begin(), leaves.end(),
                     [&](const LeafShape& leaf) { return leaf.size() != leaves.front().size(); });
}

/// A kernel of several rows beside its bias, or layers of unlike outputs.
bool admits_unlike_leaves(const Shapes& shapes) {
  return (shapes.features.high > 1 && shapes.biases != Biases::no) ||
         (shapes.layers.high > 1 && shapes.outputs.high > shapes.outputs.low);
}

bool has_absent_layers(const Case& problem) {
  return any_micro_batch(problem, [](const MicroBatch& rows) {
    return std::find(rows.absent.begin(), rows.absent.end(), 1) != rows.absent.end();
  });
}

bool has_several_micro_batches(const Case& problem) {
  return std::any_of(problem.steps.begin(), problem.steps.end(),
                     [](const Step& step) { return step.micro_batches() > 1; });
}

bool has_step_without_rows(const Case& problem) {
  return std::any_of(problem.steps.begin(), problem.steps.end(),
                     [](const Step& step) { return step.valid().value == 0; });
}

/// Collects the classes that are admitted.
class Classes {
 public:
  void add(bool admitted, std::string name, std::function<bool(const Case&)> holds,
           bool only_related = false) {
    if (admitted) all_.push_back({std::move(name), std::move(holds), only_related});
  }
  [[nodiscard]] std::vector<CaseClass> done() { return std::move(all_); }

 private:
  std::vector<CaseClass> all_;
};

void add_dtypes_and_conditions(const Space& space, Classes& classes) {
  for (const Dtype dtype : space.dtypes) {
    classes.add(true, std::string(name(dtype)), [=](const Case& c) { return c.dtype == dtype; });
  }
  for (const Condition condition : kAllConditions) {
    classes.add(space.admits({condition}), "condition " + std::string(name(condition)),
                [=](const Case& c) { return conditions(c).contains(condition); });
  }
}

void add_sizes(const Space& space, Classes& classes) {
  classes.add(space.least_world() == 1, "one rank",
              [](const Case& c) { return c.world_size().value == 1; });
  classes.add(space.world_no_power_of_two(1) > 0, "ranks no power of two",
              [](const Case& c) { return !is_power_of_two(c.world_size().value); });
  const Shapes& shapes = space.shapes;
  classes.add(admits_unlike_leaves(shapes), "leaves of unlike lengths", has_unlike_leaves);
  classes.add(shapes.micro_batches.high > 1, "several micro-batches", has_several_micro_batches);
  classes.add(shapes.steps.high > 1, "several steps",
              [](const Case& c) { return c.steps.size() > 1; });
  classes.add(shapes.absent && shapes.layers.high > 1, "unused layers", has_absent_layers);
  classes.add(space.max_world > 1, "ranks arriving out of order",
              [](const Case& c) { return !std::is_sorted(c.arrival.begin(), c.arrival.end()); });
}

}  // namespace

std::vector<CaseClass> classes_to_cover(const Claim& claim, SubjectKind kind,
                                        const DrawOptions& options) {
  const Space space = draw_space(claim, options);
  Classes classes;
  add_dtypes_and_conditions(space, classes);
  add_sizes(space, classes);
  // Where values may be flushed, nothing is proved about a train step on subnormal ones.
  classes.add(claim.flush == Flush::no || kind == SubjectKind::reducer, "subnormal values",
              has_subnormal_values);
  // Nor about one whose loss, of squares, may overflow.
  classes.add(kind == SubjectKind::reducer && !space.full_range.empty(), "values near overflow",
              has_values_near_overflow);
  classes.add(space.padding == PaddingContent::any && space.admits({Condition::padded}),
              "padding that is not finite", has_padding_that_is_not_finite);
  classes.add(claim.conditions.contains(Condition::empty), "steps without rows",
              has_step_without_rows, true);
  return classes.done();
}

}  // namespace shardproof
