#pragma once

#include <cstdint>
#include <vector>

#include "shardproof/case/case.h"
#include "shardproof/case/claim.h"
#include "shardproof/subject/subject.h"

namespace shardproof {

/// What a user narrows drawing to, on top of the claim.
struct DrawOptions {
  std::vector<Dtype> dtypes{};  ///< empty: f32 and f64, or the one that the claim takes
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
/// \param least_steps  that they have, at least
std::vector<Case> discriminating_cases(const Claim& claim, SubjectKind kind, Dtype dtype,
                                       const DrawOptions& options, int least_steps = 2);

/// Cases like this one, inside the claim: the same world, micro-batches and leaves, with padding
/// and empty ranks where it has them, so that what it triggers stays triggered; with other numbers,
/// and with counts that are unlike where the claim admits that. They have at least two steps.
std::vector<Case> variants(const Case& problem, const Claim& claim);

/// The same rows with other numbers: in each case only one micro-batch has a gradient that is not
/// zero. Of the first dozen micro-batches with rows.
std::vector<Case> one_hot_cases(const Case& problem);

/// All cases on which to diagnose what fails on `minimal`, and was found on `found`: discriminating
/// ones, variants of both, one-hot ones.
std::vector<Case> diagnosis_cases(const Claim& claim, SubjectKind kind, const Case& minimal,
                                  const Case& found);

}  // namespace shardproof
