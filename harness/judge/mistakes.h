#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "judge/references.h"

namespace shardproof {

/// Counts that a mistaken weight is made of. A micro-batch is said to have a mean, its own
/// gradient.
struct MistakeSite {
  const Step& step;
  InputForm form;
  std::size_t own;  ///< the rank whose result is predicted
  std::size_t shard;
  std::size_t micro_batch;

  [[nodiscard]] std::uint64_t ranks() const { return step.shards.size(); }
  [[nodiscard]] std::uint64_t micro_batches() const {
    return step.shards[shard].micro_batches.size();
  }
  [[nodiscard]] bool is_last_rank() const { return shard + 1 == ranks(); }
  [[nodiscard]] bool is_last_micro_batch() const { return micro_batch + 1 == micro_batches(); }
  [[nodiscard]] std::uint64_t valid() const;  ///< n of the micro-batch
  [[nodiscard]] std::uint64_t valid_of(std::size_t rank) const;
  [[nodiscard]] std::uint64_t valid_of_all() const;  ///< N
  [[nodiscard]] std::uint64_t rows() const;          ///< padding included
  [[nodiscard]] std::uint64_t rows_of_all() const;
  [[nodiscard]] std::uint64_t ranks_with_rows() const;
};

/// A non-negative weight of a micro-batch's mean.
struct Fraction {
  std::uint64_t numerator = 0;
  std::uint64_t denominator = 1;
};

/// A known mistake: what weight it gives to a micro-batch's mean, where n/N is due.
struct Mistake {
  std::string formula;
  std::string meaning;
  std::string fix;
  bool differs_by_rank = false;  ///< whether the weights depend on `own`
  bool of_step_before = false;   ///< whether the result is that of the step before
  std::function<Fraction(const MistakeSite&)> weight;
};

std::span<const Mistake> known_mistakes();

/// The mistake's weights of a step for the result of rank `own`.
/// \return nothing where they do not fit 53 bits, or divide by zero
std::optional<StepWeights> weights_of(const Mistake& mistake, const Trial& trial, int step,
                                      std::size_t own);

/// `a row of rank 1 weighs 3 times a row of rank 0`, or `every value is 2 times what it should be
/// here`.
std::string effect_of(const Mistake& mistake, const Trial& trial, int step, std::size_t own);

}  // namespace shardproof
