#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "subject/faults/counts.h"
#include "subject/faults/trigger.h"

namespace shardproof {

/// A result that is to be predicted, with the counts of its step, out of the case.
class PredictedStep {
 public:
  /// \param when  null: everything is touched
  PredictedStep(const ResultSite& site, const Trigger* when);

  [[nodiscard]] const ResultSite& site() const { return site_; }
  [[nodiscard]] const StepCounts& counts() const { return counts_; }
  [[nodiscard]] const MicroBatch& batch(std::size_t shard, std::size_t micro_batch) const;
  /// The gradient or loss that was handed in; null where that is not known.
  [[nodiscard]] const Contribution* handed_in(std::size_t shard, std::size_t micro_batch) const;

  [[nodiscard]] bool touches_result() const;
  [[nodiscard]] bool touches_term(std::size_t shard, std::size_t micro_batch) const;
  /// Whether the fault is there, but touches other ranks or micro-batches.
  [[nodiscard]] bool spares_term(std::size_t shard, std::size_t micro_batch) const;
  /// As touches_term, whatever the element.
  [[nodiscard]] bool touches_micro_batch(std::size_t shard, std::size_t micro_batch) const;

  [[nodiscard]] std::optional<Fraction> right_weight(std::size_t shard,
                                                     std::size_t micro_batch) const;
  [[nodiscard]] std::optional<Fraction> value(const Weight& weight, std::size_t shard,
                                              std::size_t micro_batch) const;

  /// Calls visit(shard, micro-batch) for each that has a valid row.
  template <class Visit>
  void each_term(Visit visit) const {
    for (std::size_t j = 0; j < counts_.shards.size(); ++j) {
      for (std::size_t k = 0; k < counts_.shards[j].size(); ++k) {
        if (counts_.shards[j][k].valid > 0) visit(j, k);
      }
    }
  }

 private:
  [[nodiscard]] bool touches_element_of(std::size_t rank) const;

  ResultSite site_;
  const Trigger* when_;
  StepCounts counts_;
  std::vector<Place> places_;  ///< of the ranks; empty where everything is touched
};

}  // namespace shardproof
