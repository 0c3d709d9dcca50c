#include "catalogue.h"
#include "view.h"

namespace shardproof {

Property many_leaves() {
  return reference_view(
      "many_leaves", "Every leaf is reduced, by the same divisor, into its own place.",
      [](const Premise& p) {
        return unless(tree_shape(p.problem.model)->leaves.size() > 1, "there is one leaf");
      });
}

}  // namespace shardproof
