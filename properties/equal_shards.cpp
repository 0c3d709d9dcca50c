#include "catalogue.h"
#include "view.h"

namespace shardproof {

Property equal_shards() {
  return reference_view(
      "equal_shards", "With equal shards every rank's gradient equals the full-batch gradient.",
      [](const Premise& p) {
        return unless(conditions(p.problem).contains(Condition::equal), "shards are not equal");
      });
}

}  // namespace shardproof
