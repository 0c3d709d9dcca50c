#pragma once

#include <cstdint>

#include "shardproof/case/case.h"

namespace shardproof {

/// A 64-bit hash of all that a case holds but given contributions. Two cases of one search that
/// share a hash would cost a candidate, no more: what is reported has been executed.
std::uint64_t case_hash(const Case& problem);

}  // namespace shardproof
