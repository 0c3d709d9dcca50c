#include "catalogue.h"
#include "view.h"

namespace shardproof {

Property empty_rank() {
  return reference_view("empty_rank", "A rank without any valid row changes nothing.",
                        [](const Premise& p) {
                          return unless(conditions(p.problem).contains(Condition::empty),
                                        "every rank has a valid row");
                        });
}

}  // namespace shardproof
