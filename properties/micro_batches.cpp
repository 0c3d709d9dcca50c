#include "catalogue.h"
#include "view.h"

namespace shardproof {

Property micro_batches() {
  return reference_view(
      "micro_batches",
      "Gradients accumulated over micro-batches equal the gradient of the whole step.",
      [](const Premise& p) {
        return unless(p.problem.steps.front().micro_batches() > 1,
                      "there is one micro-batch a step");
      });
}

}  // namespace shardproof
