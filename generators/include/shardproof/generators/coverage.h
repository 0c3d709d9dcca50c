#pragma once

#include <vector>

#include "shardproof/generators/cases.h"
#include "shardproof/run/coverage.h"

namespace shardproof {

/// The classes of cases that claim and options admit, and of which a run that began with the first
/// cases of `draw_case` has judged some: each dtype and condition, one rank, worlds that are no
/// power of two, leaves of unlike lengths, several micro-batches and steps, layers left unused,
/// orders of arrival, special values, steps without any valid row. Never one that cannot be drawn.
/// \throws InputError  when claim and options leave nothing to draw, naming what excludes it
std::vector<CaseClass> classes_to_cover(const Claim& claim, SubjectKind kind,
                                        const DrawOptions& options);

}  // namespace shardproof
