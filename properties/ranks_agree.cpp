#include "catalogue.h"
#include "shardproof/judge/judge.h"
#include "view.h"

namespace shardproof {

Property ranks_agree() {
  return {
      .name = "ranks_agree",
      .statement = "After an all-reduce every rank holds the same bits.",
      .kind = PropertyKind::law,
      .excluded = [](const Premise& p) -> std::optional<std::string> {
        if (p.problem.world_size().value < 2) return "there is one rank";
        return unless(p.claim.equal_bits, "equal bits on all ranks are not claimed");
      },
      .related = {},
      .check = [](const Trial& base, std::span<const Trial>) { return judge_equal_ranks(base); }};
}

}  // namespace shardproof
