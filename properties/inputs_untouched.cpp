#include "catalogue.h"
#include "shardproof/judge/judge.h"
#include "view.h"

namespace shardproof {

Property inputs_untouched() {
  return {.name = "inputs_untouched",
          .statement = "What a rank hands in is the same after the reduction as before.",
          .kind = PropertyKind::law,
          .excluded =
              [](const Premise& p) {
                return unless(!p.claim.inputs_overwritten, "inputs may be overwritten");
              },
          .related = {},
          .check = [](const Trial& base, std::span<const Trial>) { return judge_inputs(base); }};
}

}  // namespace shardproof
