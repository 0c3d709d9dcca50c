#pragma once

#include <span>
#include <vector>

#include "shardproof/subject/fault.h"
#include "subject/faults/counts.h"
#include "subject/faults/trigger.h"

namespace shardproof {

/// What one rank of a faulty reducer knows of a step once the ranks have told each other.
struct FaultyStep {
  const Fault& fault;
  const ReducerSetup& setup;
  std::span<const Contribution> own;       ///< this rank's, by micro-batch
  std::span<const Contribution> previous;  ///< of the step before; empty in the first
  Place place{};                           ///< of this rank
  StepCounts counts{};
  double first_scale = 1;  ///< rank 0's

  [[nodiscard]] bool touches_element(std::size_t element) const;  ///< whatever the ranks
  [[nodiscard]] bool touches_batch(std::size_t micro_batch) const;
  [[nodiscard]] bool local_sums() const;  ///< whether sums are handed in, not means
};

/// Tells the other ranks the own counts and scale, and hears theirs.
/// \param before  what the last step's counts were
FaultyStep exchange(Communicator& ranks, FaultyStep step, const StepCounts& before);

/// weight times numerator / denominator, each rounded at most once more than a product is.
double value_of(const Weight& weight, const FaultyStep& step, const TermPlace& at, double numerator,
                double denominator);

/// Where an element's own term of a micro-batch stands.
TermPlace own_place(const FaultyStep& step, std::size_t micro_batch, std::size_t element);

/// The own contributions with the fault in them, as the right reducer is handed them.
std::vector<Contribution> changed_contributions(const FaultyStep& step);

/// Puts the fault into what the right reducer returned.
/// \param previous  what it returned in the step before
void spoil(Reduced& reduced, const FaultyStep& step, const std::optional<Reduced>& previous);

}  // namespace shardproof
