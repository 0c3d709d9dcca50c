#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shardproof/subject/fault.h"

namespace shardproof {

struct BatchCount {
  std::uint64_t valid = 0;
  std::uint64_t rows = 0;
};

/// The counts of one step, and what is kept of the steps before it.
struct StepCounts {
  std::vector<std::vector<BatchCount>> shards;  ///< [shard][micro-batch]
  std::uint64_t largest_batch = 0;
  std::uint64_t valid_so_far = 0;

  [[nodiscard]] std::uint64_t valid_of(std::size_t shard) const;
  [[nodiscard]] std::uint64_t valid() const;
  /// Takes over what was kept of the step before. \pre `shards` are complete
  void follow(const StepCounts& before);
};

/// Whose term stands where in the result.
struct TermPlace {
  std::size_t own = 0;  ///< the rank whose result it is
  std::size_t shard = 0;
  std::size_t micro_batch = 0;
  std::uint64_t leaf_size = 1;
  std::uint64_t leaves = 1;
};

/// The value of one count there.
std::uint64_t value_of(Count count, const StepCounts& step, const TermPlace& at);

}  // namespace shardproof
