#include "catalogue.h"
#include "shardproof/judge/judge.h"

namespace shardproof {

Property loss_is_pre_update() {
  return {.name = "loss_is_pre_update",
          .statement =
              "The returned loss is the loss of the parameters before the update, weighted "
              "like the gradient.",
          .kind = PropertyKind::law,
          .excluded = {},
          .related = {},
          .check = [](const Trial& base, std::span<const Trial>) { return judge_loss(base); }};
}

}  // namespace shardproof
