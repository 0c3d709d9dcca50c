#include "truth.h"

#include <limits>
#include <numeric>
#include <string>

#include "shardproof/exact/rational.h"

namespace shardproof::cli {
namespace {

constexpr std::uint64_t kLargestDivisor = std::numeric_limits<std::uint64_t>::max() >> 1U;

// The product, or nothing beyond `kLargestDivisor`.
std::optional<std::uint64_t> product(std::uint64_t a, std::uint64_t b) {
  if (b != 0 && a > kLargestDivisor / b) return std::nullopt;
  return a * b;
}

// A group of rows and the count that its own sum is divided by.
struct Part {
  WeightedRows rows;
  std::uint64_t divisor = 1;
};

// (1 / outer) * sum over parts of (sum over its rows) / (its divisor), over one common divisor.
std::optional<ExactTree> sum_of_parts(const Model& model, std::vector<Part> parts,
                                      std::uint64_t outer) {
  std::uint64_t common = 1;
  for (const Part& part : parts) {
    const auto next = product(common / std::gcd(common, part.divisor), part.divisor);
    if (!next) return std::nullopt;
    common = *next;
  }
  std::vector<WeightedRows> groups;
  for (Part& part : parts) {
    part.rows.weight = common / part.divisor;
    groups.push_back(part.rows);
  }
  const auto divisor = product(common, outer);
  if (!divisor) return std::nullopt;
  return exact_gradient(model, groups, *divisor);
}

std::vector<WeightedRows> rows_of(const Shard& shard, std::span<const double> parameters) {
  std::vector<WeightedRows> groups;
  for (const MicroBatch& batch : shard.micro_batches) {
    groups.push_back({.rows = &batch, .parameters = parameters});
  }
  return groups;
}

// What each part of the target is divided by: nothing more, its own rank's or micro-batch's valid
// rows.
std::uint64_t part_divisor(const Claim& claim, std::int64_t of_rank, std::int64_t of_batch) {
  if (claim.target == Target::mean_over_ranks) return static_cast<std::uint64_t>(of_rank);
  const bool own = claim.target == Target::sum && claim.input == InputForm::local_mean;
  return own ? static_cast<std::uint64_t>(of_batch) : 1;
}

std::uint64_t outer_divisor(const Claim& claim, const StepTruth& truth) {
  if (claim.target == Target::mean_over_ranks) return truth.counts.size();
  const bool none = claim.target == Target::sum && claim.input != InputForm::global_mean;
  return none ? 1 : static_cast<std::uint64_t>(truth.count);
}

}  // namespace

StepTruth step_truth(const Case& problem, const Claim& claim, int step,
                     std::span<const std::vector<double>> parameters) {
  const Model& model = problem.model;
  const auto outputs = static_cast<std::uint64_t>(model.outputs());
  const std::vector<Shard>& shards = problem.steps[static_cast<std::size_t>(step)].shards;
  StepTruth truth;
  std::vector<WeightedRows> all;
  std::vector<Part> parts;
  for (std::size_t r = 0; r < shards.size(); ++r) {
    const std::int64_t count = shards[r].valid().value;
    truth.counts.push_back(count);
    truth.count += count;
    const std::vector<WeightedRows> own = rows_of(shards[r], parameters[r]);
    all.insert(all.end(), own.begin(), own.end());
    truth.rank_means.push_back(
        count == 0 ? ExactTree{}
                   : exact_gradient(model, own, static_cast<std::uint64_t>(count) * outputs));
    for (const WeightedRows& rows : own) {
      const std::int64_t batch = rows.rows->valid().value;
      if (batch > 0) parts.push_back({rows, part_divisor(claim, count, batch)});
    }
  }
  if (truth.count == 0) return truth;
  truth.gradient = sum_of_parts(model, parts, outer_divisor(claim, truth) * outputs);
  truth.loss = exact_loss(model, all, static_cast<std::uint64_t>(truth.count) * outputs);
  return truth;
}

std::string weight_of_rank(const Claim& claim, const StepTruth& truth, int rank) {
  if (claim.target == Target::mean_over_ranks) {
    return fraction(Dyadic(1.0), static_cast<std::uint64_t>(truth.counts.size()));
  }
  if (claim.target == Target::sum || truth.count == 0) return "1";
  return fraction(Dyadic(static_cast<double>(truth.counts[static_cast<std::size_t>(rank)])),
                  static_cast<std::uint64_t>(truth.count));
}

}  // namespace shardproof::cli
