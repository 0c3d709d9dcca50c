#include "shardproof/generators/cases.h"

#include <algorithm>

#include "plan.h"

namespace shardproof {
namespace {

// Keys of random numbers, beside seed and index: no two uses share a stream.
constexpr std::uint64_t kDrawn = 1;
constexpr std::uint64_t kDiscriminatingValues = 2;

Source source_of(std::uint64_t use, std::uint64_t seed, int index) {
  return Source(rc::Random(rc::Random::Key{use, seed, static_cast<std::uint64_t>(index), 0}));
}

/// The size of random case `number`: full after forty.
int size_of(int number) { return std::min(100, 20 + 2 * number); }

}  // namespace

bool admits(const DrawOptions& options, const Case& problem) {
  const int world = problem.world_size().value;
  return options.min_world <= world && world <= options.max_world &&
         (options.dtypes.empty() || std::find(options.dtypes.begin(), options.dtypes.end(),
                                              problem.dtype) != options.dtypes.end()) &&
         options.conditions.contains_all(conditions(problem));
}

Case draw_case(std::uint64_t seed, int index, const Claim& claim, SubjectKind /*kind*/,
               const DrawOptions& options) {
  const Space space = draw_space(claim, options);
  Source source = source_of(kDrawn, seed, index);
  const int shaped = shaped_cases(space);
  return build(source, index < shaped ? shaped_plan(source, index, space)
                                      : random_plan(source, size_of(index - shaped), space));
}

std::vector<Case> discriminating_cases(const Claim& claim, SubjectKind /*kind*/, Dtype dtype,
                                       const DrawOptions& options, int least_steps) {
  DrawOptions of_dtype = options;
  of_dtype.dtypes = {dtype};
  const Space space = draw_space(claim, of_dtype);
  std::vector<Case> cases;
  for (int number = 0; number < kDiscriminating; ++number) {
    Source source = source_of(kDiscriminatingValues, 0, number);
    cases.push_back(build(source, discriminating_plan(number, dtype, space, least_steps)));
  }
  return cases;
}

}  // namespace shardproof
