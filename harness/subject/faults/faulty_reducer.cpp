#include <algorithm>
#include <limits>
#include <utility>

#include "subject/faults/own_mean.h"
#include "subject/faults/trigger.h"
#include "subject/reducers/rounded.h"

namespace shardproof {
namespace {

using Operator = Fault::Operator;

/// The last two leaves change places in the flat tree; a single leaf swaps its two ends.
void swap_leaves(const TreeShape& shape, std::span<double> values) {
  const std::size_t leaves = shape.leaves.size();
  if (leaves == 1) {
    std::swap(values.front(), values.back());
    return;
  }
  const auto first = static_cast<std::ptrdiff_t>(shape.leaves[leaves - 2].offset);
  const auto second = static_cast<std::ptrdiff_t>(shape.leaves[leaves - 1].offset);
  std::rotate(values.begin() + first, values.begin() + second, values.end());
}

/// A right reducer with a fault around it: before it sees a contribution, and after its result.
class FaultyReducer final : public Reducer {
 public:
  FaultyReducer(const Fault& fault, const ReducerSetup& setup, std::unique_ptr<Reducer> right)
      : fault_(fault), setup_(setup), right_(std::move(right)), own_(setup) {}

  std::optional<Reduced> contribute(Communicator& ranks, Contribution& contribution) override {
    if (keeps_own()) own_.add(contribution);
    std::optional<Reduced> reduced = hand_on(ranks, contribution);
    if (reduced && touches_step(fault_.when, setup_, contribution.step)) {
      spoil(*reduced, contribution);
    }
    return reduced;
  }

 private:
  [[nodiscard]] bool keeps_own() const {
    return fault_.what == Operator::keep_own || fault_.what == Operator::own_count;
  }
  [[nodiscard]] bool changes_contributions() const {
    return fault_.what == Operator::drop_terms || fault_.what == Operator::count_padding ||
           fault_.what == Operator::swap_leaves;
  }

  std::optional<Reduced> hand_on(Communicator& ranks, Contribution& contribution) {
    if (changes_contributions() && touches(fault_.when, setup_, contribution)) {
      Contribution changed = contribution;
      change(changed);
      return right_->contribute(ranks, changed);
    }
    if (fault_.what != Operator::nan_where_none) return right_->contribute(ranks, contribution);
    try {
      return right_->contribute(ranks, contribution);
    } catch (const Decline&) {
      return nothing_over_nothing();
    }
  }

  void change(Contribution& contribution) const {
    if (fault_.what == Operator::drop_terms) {
      std::ranges::fill(contribution.gradient.values(), 0.0);
      contribution.loss = 0;
    } else if (fault_.what == Operator::count_padding) {
      contribution.valid = ValidCount{contribution.rows};
    } else {
      swap_leaves(*setup_.shape, contribution.gradient.values());
    }
  }

  [[nodiscard]] Reduced nothing_over_nothing() const {
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    Reduced reduced{.gradient = Tree(setup_.shape), .loss = kNaN, .count = 0, .norm = std::nullopt};
    std::ranges::fill(reduced.gradient.values(), kNaN);
    return reduced;
  }

  void spoil(Reduced& reduced, Contribution& contribution) {
    switch (fault_.what) {
      case Operator::keep_own:
        keep_own(reduced);
        break;
      case Operator::stale:
        if (previous_) {
          std::swap(*previous_, reduced);
        } else {
          previous_ = reduced;
        }
        break;
      case Operator::overwrite_input:
        std::ranges::copy(std::as_const(reduced.gradient).values(),
                          contribution.gradient.values().begin());
        break;
      case Operator::own_count:
        reduced.count = own_.count();
        break;
      case Operator::ranks_as_count:
        reduced.count = setup_.world_size.value;
        break;
      case Operator::summed_loss:
        if (reduced.loss) {
          reduced.loss = round_to(setup_.dtype, *reduced.loss * setup_.world_size.value);
        }
        break;
      default:
        break;
    }
  }

  void keep_own(Reduced& reduced) const {
    const TreeShape& shape = *setup_.shape;
    for (std::size_t leaf = 0; leaf < shape.leaves.size(); ++leaf) {
      const std::size_t begin = shape.leaves[leaf].offset;
      for (std::size_t e = begin; e < begin + shape.leaves[leaf].size(); ++e) {
        if (!touches_element(fault_.when, setup_, leaf, e)) continue;
        reduced.gradient.values()[e] = own_.mean()[e];
      }
    }
    reduced.norm = euclidean_norm(std::as_const(reduced.gradient).values(), setup_.dtype);
  }

  Fault fault_;
  ReducerSetup setup_;
  std::unique_ptr<Reducer> right_;
  OwnMean own_;
  std::optional<Reduced> previous_;
};

}  // namespace

ReducerFactory apply(const Fault& fault, ReducerFactory reducer) {
  return [fault, reducer = std::move(reducer)](const ReducerSetup& setup) {
    return std::make_unique<FaultyReducer>(fault, setup, reducer(setup));
  };
}

}  // namespace shardproof
