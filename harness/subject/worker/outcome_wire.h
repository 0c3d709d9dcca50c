#pragma once

#include "shardproof/subject/outcome.h"
#include "subject/worker/wire.h"

namespace shardproof {

/// An outcome, bit for bit; of Returned all but the contributions.
void write_outcome(WireWriter& out, const Outcome& outcome);
/// \throws WireError
Outcome read_outcome(WireReader& in, const SharedShape& shape);

}  // namespace shardproof
