#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "shardproof/judge/property.h"

namespace shardproof {

/// Every property: laws first, `matches_reference` the first of all.
std::span<const Property> all_properties();

/// Those whose name matches a glob of `*` and `?`; several globs are separated by commas.
/// \throws InputError  when nothing matches, listing the names
std::vector<Property> matching_properties(std::string_view globs);

}  // namespace shardproof
