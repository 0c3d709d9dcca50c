#pragma once

#include "shardproof/generators/batches.h"
#include "shardproof/generators/models.h"
#include "space.h"
#include "special.h"

namespace shardproof {

/// Which ranks have contributions other than zero: with few of them the power of a verdict does not
/// depend on the world size.
enum class Spread {
  all,
  one_rank,
  two_ranks,
  one_element,  ///< one row of one rank reaches one element of one layer
};

/// The outline of a case: everything but its numbers.
struct Plan {
  Dtype dtype = Dtype::f32;
  ValueFamily family = ValueFamily::small_integer;
  Spread spread = Spread::all;
  std::vector<Split> steps{};
  Model model{};  ///< its parameters are drawn
  double learning_rate = 0.5;
  PaddingContent padding = PaddingContent::finite;
  bool absent_layers = false;
  bool moved_residuals = false;  ///< residuals at the first parameters are not zero
  std::vector<int> arrival{};
  Special special = Special::none;
};

/// Fills the outline with numbers.
Case build(Source& source, Plan plan);

/// An outline whose sizes grow with `size`, 0 to 100.
Plan random_plan(Source& source, int size, const Space& space);

/// How many discriminating outlines there are, and the outline `number` of them.
inline constexpr int kDiscriminating = 3;
Plan discriminating_plan(int number, Dtype dtype, const Space& space, int least_steps = 2);

/// How many indices of a run have a fixed outline, and the outline of one.
int shaped_cases(const Space& space);
Plan shaped_plan(Source& source, int index, const Space& space);

}  // namespace shardproof
