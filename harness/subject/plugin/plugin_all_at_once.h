#pragma once

#include <memory>

#include "shardproof/subject/all_at_once.h"
#include "subject/plugin/library.h"

namespace shardproof {

/// The function of a plug-in that takes everybody's contributions of a step at once.
ReduceAll plugin_reduce_all(std::shared_ptr<Library> library, const Claim& claim);

}  // namespace shardproof
