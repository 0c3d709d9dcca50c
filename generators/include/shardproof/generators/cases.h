#pragma once

#include <cstdint>
#include <vector>

#include "shardproof/case/case.h"
#include "shardproof/case/claim.h"
#include "shardproof/subject/subject.h"

namespace shardproof {

/// What a user narrows drawing to, on top of the claim.
struct DrawOptions {
  std::vector<Dtype> dtypes{Dtype::f32, Dtype::f64};
  ConditionSet conditions = ConditionSet::all();
  int min_world = 1;
  int max_world = 16;
};

/// Whether a case is one that the options leave to draw: its dtype, conditions and world size.
bool admits(const DrawOptions& options, const Case& problem);

/// Case `index` of a run: a pure function of its arguments, valid and inside the claim. The first
/// are discriminating and one-hot cases, in which most mistakes show; the others are random.
/// \throws InputError  when claim and options leave nothing to draw, naming what excludes it
Case draw_case(std::uint64_t seed, int index, const Claim& claim, SubjectKind kind,
               const DrawOptions& options);

/// A few cases inside the claim that tell causes apart: at least two steps, and world size,
/// micro-batches, counts, padding and leaf lengths pairwise unlike as far as the claim allows.
std::vector<Case> discriminating_cases(const Claim& claim, SubjectKind kind, Dtype dtype,
                                       const DrawOptions& options);

}  // namespace shardproof
