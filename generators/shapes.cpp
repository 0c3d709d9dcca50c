#include <algorithm>
#include <array>
#include <vector>

#include "fit.h"
#include "plan.h"

namespace shardproof {
namespace {

/// A case in which some mistakes show at once: small integers, plain sizes.
struct Shape {
  ConditionSet conditions{};  ///< none: whatever the space allows on this world
  int world;                  ///< or the nearest that is allowed
  int micro_batches = 1;
  int steps = 1;
  int max_rows = 3;
  Spread spread = Spread::all;
  int features = 2;
  std::vector<Layer> layers{{.outputs = 2, .bias = true}};
  int discriminating = -1;  ///< the number of a discriminating outline instead
  Special special = Special::none;
  bool no_power_of_two = false;  ///< the world, for certain
};

const std::vector<Shape>& all_shapes() {
  static const std::vector<Shape> shapes{
      {.world = 5, .discriminating = 0},
      {.world = 3, .discriminating = 1},
      {.world = 3, .spread = Spread::one_element},
      {.world = 4, .micro_batches = 2, .spread = Spread::one_rank},
      {.conditions = {Condition::equal}, .world = 2, .max_rows = 2},
      {.conditions = {Condition::unequal}, .world = 2},
      {.conditions = {Condition::padded}, .world = 2},
      {.conditions = {Condition::empty}, .world = 3},
      {.world = 1, .steps = 3},
      {.world = 6, .features = 3, .layers = {{.outputs = 3, .bias = true}}},
      {.world = 3,
       .features = 2,
       .layers = {{.outputs = 1, .bias = false},
                  {.outputs = 3, .bias = true},
                  {.outputs = 2, .bias = true},
                  {.outputs = 4, .bias = false}}},
      {.world = 4, .discriminating = 2},
      {.world = 7, .micro_batches = 3, .steps = 2, .spread = Spread::two_ranks},
      {.conditions = {Condition::equal}, .world = 8, .micro_batches = 2, .steps = 2},
      // What follows completes the classes of `classes_to_cover`.
      {.world = 3, .no_power_of_two = true},
      {.world = 2, .special = Special::reversed_ranks},
      {.world = 2, .layers = {{2, true}, {1, true}}, .special = Special::absent_layer},
      {.world = 2, .max_rows = 1, .special = Special::subnormal},
      {.world = 2, .max_rows = 1, .special = Special::near_overflow},
      {.conditions = {Condition::padded}, .world = 2, .special = Special::bad_padding}};
  return shapes;
}

bool fits(const Shape& shape, const Space& space) {
  if (!shape.conditions.none() && !space.admits(shape.conditions)) return false;
  if (shape.no_power_of_two && space.world_no_power_of_two(shape.world) == 0) return false;
  switch (shape.special) {
    case Special::bad_padding:
      return space.padding == PaddingContent::any;
    case Special::near_overflow:
      return !space.full_range.empty();
    case Special::reversed_ranks:
      return space.max_world > 1;
    case Special::absent_layer:
      return space.shapes.absent && space.shapes.layers.high > 1;
    default:
      return true;
  }
}

int world_of(const Shape& shape, const Space& space) {
  return shape.no_power_of_two ? space.world_no_power_of_two(shape.world)
                               : space.world_near(shape.world, shape.conditions);
}

Plan make_plan(Source& source, const Shape& shape, Dtype dtype, const Space& space) {
  const int world = world_of(shape, space);
  const Shapes& shapes = space.shapes;
  SplitRequest request{
      .conditions = shape.conditions.none() ? space.widest(world) : shape.conditions,
      .world = world,
      .max_rows = shape.max_rows + std::max(0, shapes.rows.low - 1),
      .rows = shapes.rows};
  request.conditions = with_companions(request.conditions, shapes.rows);
  request.micro_batches =
      fit_size(shapes.micro_batches,
               std::max(shape.micro_batches, least_micro_batches(request.conditions, world)));
  Plan plan{.dtype = dtype,
            .spread = shape.spread,
            .model = {.features = shape.features, .layers = shape.layers, .parameters = {}},
            .padding = space.padding,
            .moved_residuals = shape.spread == Spread::all,
            .special = shape.special};
  fit_model(shapes, plan.model);
  for (int step = 0; step < fit_size(shapes.steps, shape.steps); ++step) {
    plan.steps.push_back(draw_split(source, request));
  }
  return plan;
}

}  // namespace

int shaped_cases(const Space& space) {
  const std::vector<Shape>& shapes = all_shapes();
  return static_cast<int>(std::count_if(shapes.begin(), shapes.end(),
                                        [&](const Shape& shape) { return fits(shape, space); }));
}

Plan shaped_plan(Source& source, int index, const Space& space) {
  const std::vector<Shape>& shapes = all_shapes();
  int left = index;
  const auto at = std::find_if(shapes.begin(), shapes.end(), [&](const Shape& shape) {
    return fits(shape, space) && left-- == 0;
  });
  // Dtypes take turns, so that each has been seen after as many cases as there are dtypes.
  const std::vector<Dtype>& dtypes =
      at->special == Special::near_overflow ? space.full_range : space.dtypes;
  const Dtype dtype = dtypes[static_cast<std::size_t>(index) % dtypes.size()];
  if (at->discriminating >= 0) return discriminating_plan(at->discriminating, dtype, space);
  return make_plan(source, *at, dtype, space);
}

}  // namespace shardproof
