#pragma once

#include "shardproof/judge/trial.h"
#include "shardproof/judge/verdict.h"

namespace shardproof {

/// Compares every rank's reduced tree, every leaf, every element, with the exact reference under
/// the proved bound: for reducers alone, from the contributions they were handed, and end to end,
/// from the rows. Outcomes without a result are failures here, but for an error on purpose where no
/// row is valid.
Verdict judge_gradient(const Trial& trial);

/// Every loss that was returned, against the exact loss at the parameters before the update.
Verdict judge_loss(const Trial& trial);

/// Every count and gradient norm that was returned.
Verdict judge_count_and_norm(const Trial& trial);

/// Every parameter of every rank after the update: moved exactly once, by lr times the gradient.
Verdict judge_update(const Trial& trial);

/// Every rank's gradient, parameters, loss, count and norm in the bits of rank 0.
Verdict judge_equal_ranks(const Trial& trial);

/// Steps without any valid row: an error, zeros, or NaN where claimed.
Verdict judge_empty_steps(const Trial& trial);

/// Whether the subject left its inputs as they were.
Verdict judge_inputs(const Trial& trial);

/// Bits of two trials of equal inputs.
Verdict judge_repeated(const Trial& first, const Trial& second);

/// The outcome as a failure where it is none that the claim allows; nothing where results came
/// back.
std::optional<Failure> failure_without_result(const Trial& trial);

}  // namespace shardproof
