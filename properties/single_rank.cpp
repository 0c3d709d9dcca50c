#include "catalogue.h"
#include "view.h"

namespace shardproof {

Property single_rank() {
  return reference_view(
      "single_rank", "On one rank the reduction is the gradient itself.", [](const Premise& p) {
        return unless(p.problem.world_size().value == 1, "there are several ranks");
      });
}

}  // namespace shardproof
