#include "catalogue.h"
#include "view.h"

namespace shardproof {

Property unequal_counts() {
  return reference_view("unequal_counts",
                        "With unequal shards every row weighs the same, whichever shard it is on.",
                        [](const Premise& p) {
                          return unless(conditions(p.problem).contains(Condition::unequal),
                                        "no two micro-batches differ in their rows");
                        });
}

}  // namespace shardproof
