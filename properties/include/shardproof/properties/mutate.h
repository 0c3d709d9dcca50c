#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "shardproof/run/kill_matrix.h"

namespace shardproof {

/// Every wrong subject that comes with shardproof: reported faults that are planted, known faults,
/// wrong built-ins.
std::vector<Mutant> all_mutants();

struct MutateOptions {
  std::uint64_t seed = 0;
  int cases = 1000;       ///< the effort to find
  int matrix_cases = 40;  ///< on which every property is tried alone; 0: no matrix
  int shrink_budget = RunOptions{}.shrink_budget;       ///< executions; 0: not shrunk
  std::function<void(int done, int of)> on_progress{};  ///< may be empty
  std::function<bool()> stop{};                         ///< asked between subjects; may be empty
};

/// Runs every property on every mutant.
KillMatrix mutate(std::span<const Mutant> mutants, const MutateOptions& options);

}  // namespace shardproof
