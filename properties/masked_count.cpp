#include "catalogue.h"
#include "view.h"

namespace shardproof {

Property masked_count() {
  return reference_view(
      "masked_count", "Padded rows never reach the numerator nor the count.", [](const Premise& p) {
        return unless(conditions(p.problem).contains(Condition::padded), "no row is masked out");
      });
}

}  // namespace shardproof
