#pragma once

#include <string>
#include <string_view>

#include "shardproof/case/claim.h"

namespace shardproof {

/// The value of one key as `settings` writes it: `2+4+8` for `world`.
/// \throws InputError  when there is no such key
std::string setting(const Claim& claim, std::string_view key);

}  // namespace shardproof
