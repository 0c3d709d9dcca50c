#include <algorithm>
#include <limits>
#include <utility>

#include "subject/faults/faulty_step.h"

namespace shardproof {
namespace {

/// A right reducer with a fault around it: it gets a step's contributions changed, all with the
/// last one, and what it returns is changed.
class FaultyReducer final : public Reducer {
 public:
  FaultyReducer(Fault fault, const ReducerSetup& setup, std::unique_ptr<Reducer> right)
      : fault_(std::move(fault)), setup_(setup), right_(std::move(right)) {}

  std::optional<Reduced> contribute(Communicator& ranks, Contribution& contribution) override {
    if (contribution.micro_batch == 0) own_.clear();
    own_.push_back(contribution);
    if (!contribution.last) return std::nullopt;
    FaultyStep step = exchange(
        ranks, {.fault = fault_, .setup = setup_, .own = own_, .previous = previous_}, counts_);
    Reduced reduced = reduce(ranks, step);
    if (fault_.what == Operator{Special::overwritten_input} &&
        touches_rank(fault_.when, step.place)) {
      std::ranges::copy(std::as_const(reduced.gradient).values(),
                        contribution.gradient.values().begin());
    }
    counts_ = std::move(step.counts);
    previous_.swap(own_);
    return reduced;
  }

 private:
  Reduced reduce(Communicator& ranks, const FaultyStep& step) {
    Reduced reduced;
    try {
      for (Contribution& changed : changed_contributions(step)) {
        std::optional<Reduced> answer = right_->contribute(ranks, changed);
        if (answer) reduced = *std::move(answer);
      }
    } catch (const Decline&) {
      const bool nothing = step.counts.valid() == 0;
      if (fault_.what != Operator{Special::nan_from_nothing} || !nothing) throw;
      return nothing_over_nothing();
    }
    std::optional<Reduced> right;
    if (fault_.what == Operator{Stale::result}) right = reduced;
    spoil(reduced, step, previous_result_);
    previous_result_ = std::move(right);
    return reduced;
  }

  [[nodiscard]] Reduced nothing_over_nothing() const {
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    Reduced reduced{.gradient = Tree(setup_.shape), .loss = kNaN, .count = 0, .norm = std::nullopt};
    std::ranges::fill(reduced.gradient.values(), kNaN);
    return reduced;
  }

  Fault fault_;
  ReducerSetup setup_;
  std::unique_ptr<Reducer> right_;
  std::vector<Contribution> own_;       // of this step so far
  std::vector<Contribution> previous_;  // of the step before
  std::optional<Reduced> previous_result_;
  StepCounts counts_;  // of the step before
};

}  // namespace

ReducerFactory apply(const Fault& fault, ReducerFactory reducer) {
  return [fault, reducer = std::move(reducer)](const ReducerSetup& setup) {
    return std::make_unique<FaultyReducer>(fault, setup, reducer(setup));
  };
}

}  // namespace shardproof
