#include "catalogue.h"
#include "shardproof/judge/judge.h"

namespace shardproof {

Property count_and_norm_are_true() {
  return {.name = "count_and_norm_are_true",
          .statement =
              "A returned count is the number of valid rows of the step, and a returned norm "
              "is that of the returned gradient.",
          .kind = PropertyKind::law,
          .excluded = {},
          .related = {},
          .check = [](const Trial& base, std::span<const Trial>) {
            return judge_count_and_norm(base);
          }};
}

}  // namespace shardproof
