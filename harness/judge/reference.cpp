#include "shardproof/judge/reference.h"

#include "exact/magnitude.h"
#include "subject/fractions.h"

namespace shardproof {
namespace {

std::uint64_t product_within_limit(std::uint64_t a, std::uint64_t b) {
  return b != 0 && a > kLargestWeight / b ? 0 : a * b;
}

std::uint64_t count(ValidCount valid) { return static_cast<std::uint64_t>(valid.value); }

Weights equal_weights(const Step& step, std::uint64_t divisor) {
  Weights weights;
  weights.divisor = divisor;
  for (const Shard& shard : step.shards) {
    weights.weight.emplace_back(shard.micro_batches.size(), std::uint64_t{1});
  }
  return weights;
}

/// weight(shard, micro-batch) / divisor = numerator / denominator of each, over a common divisor.
template <class Numerator, class Denominator>
std::optional<Weights> over_common_divisor(const Step& step, Numerator numerator,
                                           Denominator denominator) {
  Weights weights;
  for (const Shard& shard : step.shards) {
    for (const MicroBatch& rows : shard.micro_batches) {
      if (rows.valid().value == 0) continue;
      weights.divisor = common_multiple(weights.divisor, denominator(shard, rows));
      if (weights.divisor == 0) return std::nullopt;
    }
  }
  for (const Shard& shard : step.shards) {
    std::vector<std::uint64_t>& row = weights.weight.emplace_back();
    for (const MicroBatch& rows : shard.micro_batches) {
      const bool empty = rows.valid().value == 0;
      row.push_back(empty ? 0
                          : product_within_limit(numerator(shard, rows),
                                                 weights.divisor / denominator(shard, rows)));
      if (!empty && row.back() == 0) return std::nullopt;
    }
  }
  return weights;
}

std::uint64_t shards_of(const Step& step) { return step.shards.size(); }

std::vector<WeightedRows> weighted_rows(const Weights& weights, const Case& problem, int step,
                                        const ShardParameters& parameters) {
  std::vector<WeightedRows> groups;
  const std::vector<Shard>& shards = problem.steps[static_cast<std::size_t>(step)].shards;
  for (std::size_t r = 0; r < shards.size(); ++r) {
    for (std::size_t m = 0; m < shards[r].micro_batches.size(); ++m) {
      groups.push_back({&shards[r].micro_batches[m], parameters[r], weights.weight[r][m]});
    }
  }
  return groups;
}

double upper_quotient(double numerator, double denominator) {
  return (Magnitude{numerator} / denominator).value();
}

/// What the sums over rows of a contribution are divided by, the outputs left out.
double rows_divisor(InputForm form, ValidCount micro_batch, ValidCount step) {
  switch (form) {
    case InputForm::local_mean:
      return static_cast<double>(micro_batch.value);
    case InputForm::local_sum:
      return 1;
    case InputForm::global_mean:
      return static_cast<double>(step.value);
  }
  return 1;
}

}  // namespace

std::optional<Weights> contribution_weights(const Claim& claim, const Step& step) {
  const std::uint64_t n = count(step.valid());
  const std::uint64_t ranks = shards_of(step);
  const auto of_rank = [&](const Shard& shard, const MicroBatch&) {
    return ranks * count(shard.valid());
  };
  switch (claim.target) {
    case Target::sum:
      return equal_weights(step, 1);
    case Target::mean_over_ranks:
      if (claim.input == InputForm::local_sum) {
        return over_common_divisor(
            step, [](const Shard&, const MicroBatch&) { return std::uint64_t{1}; }, of_rank);
      }
      return over_common_divisor(
          step, [](const Shard&, const MicroBatch& rows) { return count(rows.valid()); }, of_rank);
    case Target::weighted_mean:
      break;
  }
  if (claim.input == InputForm::global_mean) return equal_weights(step, 1);
  if (claim.input == InputForm::local_sum) return equal_weights(step, n);
  Weights weights;
  weights.divisor = n;
  for (const Shard& shard : step.shards) {
    std::vector<std::uint64_t>& row = weights.weight.emplace_back();
    for (const MicroBatch& rows : shard.micro_batches) row.push_back(count(rows.valid()));
  }
  return weights;
}

std::optional<Weights> row_weights(const Claim& claim, const Model& model, const Step& step) {
  const auto outputs = static_cast<std::uint64_t>(model.outputs());
  const std::uint64_t n = count(step.valid());
  const std::uint64_t ranks = shards_of(step);
  const auto one = [](const Shard&, const MicroBatch&) { return std::uint64_t{1}; };
  switch (claim.target) {
    case Target::weighted_mean:
      return equal_weights(step, n * outputs);
    case Target::mean_over_ranks:
      return over_common_divisor(step, one, [&](const Shard& shard, const MicroBatch&) {
        return ranks * count(shard.valid()) * outputs;
      });
    case Target::sum:
      break;
  }
  return over_common_divisor(step, one, [&](const Shard&, const MicroBatch& rows) {
    if (claim.input == InputForm::local_sum) return outputs;
    return outputs * (claim.input == InputForm::local_mean ? count(rows.valid()) : n);
  });
}

ExactTree expected_gradient(const Weights& rows, const Case& problem, int step,
                            const ShardParameters& parameters) {
  return exact_gradient(problem.model, weighted_rows(rows, problem, step, parameters),
                        rows.divisor);
}

ExactLoss expected_loss(const Weights& rows, const Case& problem, int step,
                        const ShardParameters& parameters) {
  return exact_loss(problem.model, weighted_rows(rows, problem, step, parameters), rows.divisor);
}

double gradient_scale(InputForm form, const Model& model, ValidCount micro_batch, ValidCount step) {
  return upper_quotient(2, rows_divisor(form, micro_batch, step) * model.outputs());
}

double loss_scale(InputForm form, const Model& model, ValidCount micro_batch, ValidCount step) {
  return upper_quotient(1, rows_divisor(form, micro_batch, step) * model.outputs());
}

}  // namespace shardproof
