#include <algorithm>

#include "plan.h"
#include "shardproof/case/simpler.h"
#include "shardproof/generators/arbitrary.h"
#include "shardproof/generators/shrinking.h"

namespace shardproof {
namespace {

/// Whether a simpler case is still one that the generator may give.
bool inside(const Claim& claim, const DrawOptions& options, const Case& problem) {
  return admits(options, problem) && !excluded_by(claim, problem) &&
         std::all_of(problem.steps.begin(), problem.steps.end(),
                     [](const Step& step) { return step.valid().value > 0; });
}

}  // namespace

rc::Gen<Case> arbitrary_case(const Claim& claim, SubjectKind /*kind*/, const DrawOptions& options) {
  return generator<Case>(
      [space = draw_space(claim, options)](Source& source, int size) {
        return build(source, random_plan(source, std::clamp(size, 0, 100), space));
      },
      [claim, options](const Case& problem, const std::function<bool(Case)>& visit) {
        for_each_simpler(problem, [&](Case simpler) {
          return !inside(claim, options, simpler) || visit(std::move(simpler));
        });
      });
}

}  // namespace shardproof
