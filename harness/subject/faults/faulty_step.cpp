#include "subject/faults/faulty_step.h"

#include <algorithm>
#include <utility>

#include "subject/faults/narrow.h"

namespace shardproof {

bool FaultyStep::touches_element(std::size_t element) const {
  return touches_step(fault.when, place) &&
         shardproof::touches_element(fault.when, place, *setup.shape, element);
}

bool FaultyStep::touches_batch(std::size_t micro_batch) const {
  const Contribution& c = own[micro_batch];
  return touches_rank(fault.when, place) &&
         touches_micro_batch(fault.when, place, static_cast<int>(micro_batch),
                             c.rows - static_cast<int>(c.valid.value));
}

bool FaultyStep::local_sums() const {
  return setup.claim != nullptr && setup.claim->input == InputForm::local_sum;
}

FaultyStep exchange(Communicator& ranks, FaultyStep step, const StepCounts& before) {
  std::vector<double> own{1};
  double largest = 0;
  for (const Contribution& each : step.own) {
    own.push_back(static_cast<double>(each.valid.value));
    own.push_back(each.rows);
    largest = std::max(largest, largest_of(each.gradient.values()));
    step.place.absent.push_back(each.absent);
  }
  own[0] = scale_of(std::span(&largest, 1));
  const std::vector<double> all = ranks.all_gather<double>(own);
  step.first_scale = all[0];
  for (std::size_t r = 0; r * own.size() < all.size(); ++r) {
    auto& batches = step.counts.shards.emplace_back();
    for (std::size_t i = 1; i < own.size(); i += 2) {
      const double* const told = all.data() + r * own.size() + i;
      batches.push_back({static_cast<std::uint64_t>(told[0]), static_cast<std::uint64_t>(told[1])});
    }
  }
  step.counts.follow(before);
  const int rank = step.setup.rank.index;
  step.place.world = step.setup.world_size.value;
  step.place.rank = rank;
  step.place.step = step.own.front().step;
  step.place.micro_batches = static_cast<int>(step.own.size());
  step.place.dtype = step.setup.dtype;
  step.place.before_rank_0 = arrives_before_rank_0(step.setup.arrival, rank);
  return step;
}

double value_of(const Weight& weight, const FaultyStep& step, const TermPlace& at, double numerator,
                double denominator) {
  double above = static_cast<double>(weight.factor) * numerator;
  double below = static_cast<double>(weight.divisor) * denominator;
  for (const Count count : weight.times) {
    above *= static_cast<double>(value_of(count, step.counts, at));
  }
  for (const Count count : weight.over) {
    const std::uint64_t divisor = value_of(count, step.counts, at);
    if (divisor != 0) below *= static_cast<double>(divisor);
  }
  return above / below;
}

TermPlace own_place(const FaultyStep& step, std::size_t micro_batch, std::size_t element) {
  const TreeShape& shape = *step.setup.shape;
  const auto rank = static_cast<std::size_t>(step.setup.rank.index);
  return {.own = rank,
          .shard = rank,
          .micro_batch = micro_batch,
          .leaf_size = element == shape.size ? 1 : leaf_of(shape, element).size(),
          .leaves = shape.leaves.size()};
}

}  // namespace shardproof
