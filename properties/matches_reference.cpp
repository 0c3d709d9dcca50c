#include "catalogue.h"

namespace shardproof {

Property matches_reference() {
  return {
      .name = "matches_reference",
      .statement =
          "Every rank's gradient equals the exact reference, up to a rounding error that "
          "is proved possible.",
      .kind = PropertyKind::law,
      .excluded = {},
      .related = {},
      .check = [](const Trial& base, std::span<const Trial>) { return base.gradient_verdict(); }};
}

}  // namespace shardproof
