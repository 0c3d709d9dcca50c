#include "catalogue.h"
#include "shardproof/judge/judge.h"
#include "view.h"

namespace shardproof {

Property one_update_per_leaf() {
  return {.name = "one_update_per_leaf",
          .statement =
              "Every leaf of every rank is updated exactly once, by the learning rate times "
              "the gradient.",
          .kind = PropertyKind::law,
          .excluded =
              [](const Premise& p) {
                return unless(p.kind == SubjectKind::train_step, "a reducer updates nothing");
              },
          .related = {},
          .check = [](const Trial& base, std::span<const Trial>) { return judge_update(base); }};
}

}  // namespace shardproof
