#pragma once

#include "shardproof/case/case.h"
#include "subject/worker/wire.h"

namespace shardproof {

/// A case, bit for bit, its rows as far as it has any.
void write_case(WireWriter& out, const Case& problem);
/// \throws WireError
Case read_case(WireReader& in);

}  // namespace shardproof
