#include "subject/catalogue/known.h"

#include <algorithm>

namespace shardproof {

std::span<const KnownFault> known_faults() {
  static const std::vector<KnownFault> faults = [] {
    std::vector<KnownFault> all;
    add_known_scales(all);
    add_known_weights(all);
    add_known_terms(all);
    add_known_values(all);
    return all;
  }();
  return faults;
}

const KnownFault* find_known_fault(std::string_view name) {
  const auto all = known_faults();
  const auto found = std::ranges::find(all, name, &KnownFault::name);
  return found == all.end() ? nullptr : &*found;
}

std::string_view name(FaultFamily family) {
  switch (family) {
    case FaultFamily::global_scale:
      return "global scale";
    case FaultFamily::weights:
      return "weights";
    case FaultFamily::denominator:
      return "denominator";
    case FaultFamily::leaf_scale:
      return "leaf scale";
    case FaultFamily::term_scale:
      return "term scale";
    case FaultFamily::no_reduction:
      return "no reduction";
    case FaultFamily::drop:
      return "drop";
    case FaultFamily::duplicate:
      return "duplicate";
    case FaultFamily::after_reduction:
      return "after the reduction";
    case FaultFamily::mix_leaves:
      return "mix leaves";
    case FaultFamily::stale:
      return "stale";
    case FaultFamily::alias:
      return "alias";
    case FaultFamily::narrow:
      return "narrow";
    case FaultFamily::empty_shard:
      return "empty shard";
    case FaultFamily::nan_rule:
      return "NaN rule";
    case FaultFamily::non_commuting:
      return "non-commuting";
    case FaultFamily::lossy_wire:
      return "lossy wire";
    case FaultFamily::path:
      return "path";
    case FaultFamily::order_only:
      break;
  }
  return "order only";
}

}  // namespace shardproof
