#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace shardproof {

/// A usual claim with a name: `preset=NAME` in front of other settings of a claim.
struct ClaimPreset {
  std::string_view name;
  std::string_view summary;   ///< whose reduction it is, and what it does
  std::string_view settings;  ///< the fields that it sets, as `with_settings` reads them
  std::string_view source;    ///< where that is written down
};

/// Every preset, in the order in which they are listed.
std::span<const ClaimPreset> claim_presets();

/// The preset of that name, or nothing.
std::optional<ClaimPreset> find_claim_preset(std::string_view name);

}  // namespace shardproof
