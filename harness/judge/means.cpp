#include "judge/means.h"

#include <algorithm>
#include <cmath>

#include "judge/references.h"
#include "shardproof/judge/arithmetic.h"
#include "shardproof/subject/local_gradient.h"

namespace shardproof {
namespace {

std::uint64_t count(ValidCount valid) { return static_cast<std::uint64_t>(valid.value); }

/// What a contribution is multiplied by to be a mean.
Fraction factor_of(InputForm form, std::uint64_t valid, std::uint64_t valid_of_all) {
  switch (form) {
    case InputForm::local_mean:
      return {1, 1};
    case InputForm::local_sum:
      return {1, valid};
    case InputForm::global_mean:
      return {valid_of_all, valid};
  }
  return {1, 1};
}

bool all_finite(std::span<const double> values) {
  return std::ranges::all_of(values, [](double v) { return std::isfinite(v); });
}

}  // namespace

ExactMeans::ExactMeans(const Trial& trial, bool after_update)
    : trial_(trial),
      returned_(std::get<Returned>(trial.outcome)),
      shape_(tree_shape(trial.problem->model)),
      after_update_(after_update) {}

std::optional<ExactMean> ExactMeans::mean(int step, std::size_t shard, std::size_t micro_batch,
                                          std::size_t element) const {
  const Step& at = trial_.problem->steps[static_cast<std::size_t>(step)];
  const std::uint64_t valid = count(at.shards[shard].micro_batches[micro_batch].valid());
  if (valid == 0) return std::nullopt;
  if (trial_.kind == SubjectKind::reducer) {
    const Contribution& in =
        returned_.contributions[static_cast<std::size_t>(step)][shard][micro_batch];
    const std::span<const double> values = in.gradient.values();
    return ExactMean{.handed_in = element < values.size() ? values[element] : in.loss,
                     .factor = factor_of(trial_.claim->input, valid, count(at.valid()))};
  }
  const FromRows* rows = from_rows(step);
  if (rows == nullptr) return std::nullopt;
  const LocalBound& bound = rows->bounds[shard][micro_batch];
  const auto outputs = static_cast<std::uint64_t>(trial_.problem->model.outputs());
  return ExactMean{.rows = &rows->sums[shard][micro_batch][element],
                   .factor = {1, valid * outputs},
                   .error = element < bound.gradient.size() ? bound.gradient[element] : bound.loss};
}

double ExactMeans::error_of_one_sum(int step, std::size_t element) const {
  if (trial_.kind == SubjectKind::reducer) return 0;
  const FromRows* rows = from_rows(step);
  if (rows == nullptr) return 0;
  const LocalBound& bound = rows->all_rows;
  return element < bound.gradient.size() ? bound.gradient[element] : bound.loss;
}

const ExactMeans::FromRows* ExactMeans::from_rows(int step) const {
  auto found = from_rows_.find(step);
  if (found == from_rows_.end()) found = from_rows_.emplace(step, make(step)).first;
  return found->second ? &*found->second : nullptr;
}

std::optional<ExactMeans::FromRows> ExactMeans::make(int step) const {
  const Case& problem = *trial_.problem;
  const Step& rows = problem.steps[static_cast<std::size_t>(step)];
  ShardParameters parameters;
  for (int r = 0; r < problem.world_size().value; ++r) {
    parameters.push_back(parameters_before(trial_, returned_, step + (after_update_ ? 1 : 0), r));
    if (!all_finite(parameters.back())) return std::nullopt;
  }
  const Arithmetic arithmetic = arithmetic_of(*trial_.claim, problem, rows);
  const Weights none;  // local gradients have no weights yet
  const StepOfTrial at{trial_, step, none, none, arithmetic, parameters};
  FromRows made{.sums = {},
                .bounds = local_bounds(at, InputForm::local_mean),
                .all_rows = bound_over_all_rows(at, kLocalScaleRoundings + arithmetic.roundings)};
  for (std::size_t r = 0; r < rows.shards.size(); ++r) {
    auto& shard = made.sums.emplace_back();
    for (const MicroBatch& batch : rows.shards[r].micro_batches) {
      const WeightedRows group{&batch, parameters[r], 1};
      shard.push_back(exact_gradient(problem.model, {&group, 1}, 1).numerators);
      shard.back().push_back(exact_loss(problem.model, {&group, 1}, 1).numerator);
    }
  }
  return made;
}

}  // namespace shardproof
