#include <utility>

#include "shardproof/run/counterexample.h"
#include "subject/all_contributions.h"

namespace shardproof {

Case with_contributions(Case problem, InputForm form, std::optional<Dtype> gradient) {
  problem.given = given(all_contributions(problem, form, gradient));
  return problem;
}

}  // namespace shardproof
