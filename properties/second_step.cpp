#include "catalogue.h"
#include "view.h"

namespace shardproof {

Property second_step() {
  return reference_view(
      "second_step", "Nothing of an earlier step remains in a later one.",
      [](const Premise& p) { return unless(p.problem.steps.size() > 1, "there is one step"); });
}

}  // namespace shardproof
