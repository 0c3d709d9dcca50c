#include "shardproof/subject/sgd.h"

#include <algorithm>
#include <utility>

#include "shardproof/subject/local_gradient.h"
#include "subject/faults/own_mean.h"

namespace shardproof {
namespace {

/// The same rows with every mask entry set, or only those that were masked out.
MicroBatch unmasked(const MicroBatch& rows) {
  MicroBatch all = rows;
  std::ranges::fill(all.mask, std::uint8_t{1});
  return all;
}
MicroBatch only_padding(const MicroBatch& rows) {
  MicroBatch padding = rows;
  for (std::uint8_t& kept : padding.mask) kept = kept == 0 ? 1 : 0;
  return padding;
}

class SgdStep final : public TrainStep {
 public:
  SgdStep(const Strategy& strategy, std::optional<TrainFault> fault, const ReducerFactory& reducers,
          const TrainSetup& setup)
      : setup_(setup),
        sums_(strategy.scaling == Scaling::sum_over_count),
        fault_(fault),
        rank_{
            setup.shape, strategy.gradient.value_or(setup.dtype), setup.rank, setup.world_size, {}},
        reducer_(reducers(rank_)),
        own_(rank_) {}

  TrainResult step(Communicator& ranks, TrainInput& input) override {
    Reduced reduced = reduce(ranks, input, input.parameters);
    Tree moved = input.parameters;
    const std::span<const double> gradient = std::as_const(reduced.gradient).values();
    const bool early = faulty(TrainFault::update_before_reduce);
    update(moved, early ? own_.mean() : gradient, input.learning_rate);
    if (faulty(TrainFault::update_twice)) update(moved, gradient, input.learning_rate);
    if (faulty(TrainFault::loss_after_update)) reduced.loss = reduce(ranks, input, moved).loss;
    return {.loss = *reduced.loss,
            .gradient = std::move(reduced.gradient),
            .parameters = std::move(moved),
            .count = reduced.count,
            .norm = reduced.norm};
  }

 private:
  [[nodiscard]] bool faulty(TrainFault fault) const { return fault_ == fault; }

  Reduced reduce(Communicator& ranks, const TrainInput& input, const Tree& parameters) {
    std::optional<Reduced> reduced;
    const auto count = static_cast<int>(input.micro_batches.size());
    for (int k = 0; k < count; ++k) {
      const MicroBatch& rows = input.micro_batches[static_cast<std::size_t>(k)];
      LocalGradient own = local(rows, parameters);
      Contribution contribution{.gradient = std::move(own.gradient),
                                .loss = own.loss,
                                .valid = rows.valid(),
                                .rows = rows.rows(),
                                .step = input.step,
                                .micro_batch = k,
                                .last = k + 1 == count,
                                .absent = {}};
      if (faulty(TrainFault::update_before_reduce)) own_.add(contribution);
      reduced = reducer_->contribute(ranks, contribution);
    }
    return *std::move(reduced);
  }

  /// The rank's mean (or sum, where the strategy divides sums) over one micro-batch.
  [[nodiscard]] LocalGradient local(const MicroBatch& rows, const Tree& parameters) const {
    const auto valid = static_cast<double>(rows.valid().value);
    const double divisor = sums_ ? 1 : std::max(valid, 1.0);
    if (faulty(TrainFault::unmasked_numerator)) {
      return evaluate(unmasked(rows), parameters, divisor);
    }
    LocalGradient own = evaluate(rows, parameters, divisor);
    if (faulty(TrainFault::mask_by_multiplication)) {
      const LocalGradient padding = evaluate(only_padding(rows), parameters, divisor);
      own.loss += 0 * padding.loss;
      for (std::size_t e = 0; e < own.gradient.values().size(); ++e) {
        own.gradient.values()[e] += 0 * padding.gradient.values()[e];
      }
    }
    return own;
  }

  [[nodiscard]] LocalGradient evaluate(const MicroBatch& rows, const Tree& parameters,
                                       double divisor) const {
    return local_gradient(setup_.model, setup_.shape, parameters.values(), rows,
                          local_dtypes(setup_.dtype, rank_.dtype), divisor);
  }

  void update(Tree& parameters, std::span<const double> gradient, double learning_rate) const {
    const double times = faulty(TrainFault::sum_update) ? setup_.world_size.value : 1;
    const TreeShape& shape = *setup_.shape;
    const std::size_t end =
        faulty(TrainFault::leaf_not_updated) ? shape.leaves.back().offset : shape.size;
    for (std::size_t e = 0; e < end; ++e) {
      const double g = round_to(rank_.dtype, times * gradient[e]);
      const double way = round_to(setup_.dtype, learning_rate * g);
      double& parameter = parameters.values()[e];
      parameter = round_to(setup_.dtype, parameter - way);
    }
  }

  TrainSetup setup_;
  bool sums_;
  std::optional<TrainFault> fault_;
  ReducerSetup rank_;
  std::unique_ptr<Reducer> reducer_;
  OwnMean own_;  // before any reduction: only an early update needs it
};

}  // namespace

TrainStepFactory sgd_of(const Strategy& strategy, std::optional<TrainFault> fault) {
  return [strategy, fault, reducers = reducers_of(strategy)](const TrainSetup& setup) {
    return std::make_unique<SgdStep>(strategy, fault, reducers, setup);
  };
}

Claim sgd_claim(const Strategy& strategy) {
  Claim claim = claim_of(strategy);
  claim.update = Update::from_returned;
  return claim;
}

}  // namespace shardproof
