#pragma once

#include <array>
#include <random>

#include "shardproof/subject/fault_catalogue.h"

namespace shardproof {

/// Faults, triggers and strategies at random.
class RandomFaults {
 public:
  explicit RandomFaults(std::uint64_t seed) : random_(seed) {}

  Planted planted() {
    Strategy base;
    base.topology = pick(kTopologies);
    base.group = 1 + below(4);
    base.scaling = below(2) == 0 ? Scaling::weight_by_count : Scaling::sum_over_count;
    return {.what = Fault{what(), when()}, .base = base};
  }

 private:
  static constexpr std::array kTopologies{Topology::sequential, Topology::tree, Topology::ring,
                                          Topology::halving_doubling, Topology::hierarchical};

  int below(int limit) { return static_cast<int>(random_() % static_cast<std::uint64_t>(limit)); }
  template <class T, std::size_t size>
  T pick(const std::array<T, size>& from) {
    return from[static_cast<std::size_t>(below(static_cast<int>(size)))];
  }

  Operator what() {
    const auto known = known_faults();
    if (below(2) == 0)
      return known[static_cast<std::size_t>(below(static_cast<int>(known.size())))].fault.what;
    Weigh weigh;
    const int kind = below(4);
    if (kind == 0) weigh.term = weight(0);
    if (kind == 1) weigh.result = weight(kFirstOfResult);
    if (kind == 2) weigh.own = weight(0);
    if (kind == 3) weigh.own = right_weight();
    weigh.own_alone = kind == 2 && below(2) == 0;
    if (kind == 0 && below(3) == 0) weigh.rest = weight(0);
    return weigh;
  }

  /// Counts of contributions stand before those of results.
  static constexpr std::array kCounts{Count::micro_batches,
                                      Count::valid,
                                      Count::valid_of_rank,
                                      Count::rows,
                                      Count::ranks,
                                      Count::valid_of_all,
                                      Count::rows_of_all,
                                      Count::ranks_with_rows,
                                      Count::micro_batches_with_rows,
                                      Count::leaf_size,
                                      Count::largest_batch,
                                      Count::valid_so_far,
                                      Count::whole_share,
                                      Count::pairs_of_ranks,
                                      Count::leaves,
                                      Count::own_valid,
                                      Count::own_variance_divisor};
  static constexpr int kFirstOfResult = 4;
  static constexpr int kLastOfTerm = 2;

  Weight weight(int first) {
    // No count of the own rank in a contribution: others reduce it, too.
    const int last = static_cast<int>(kCounts.size()) - (first == 0 ? kLastOfTerm : 0);
    const auto count = [&] {
      return kCounts[static_cast<std::size_t>(first + below(last - first))];
    };
    Weight weight = first == 0 && below(2) == 0 ? right_weight() : Weight{};
    weight.factor = 1 + static_cast<std::uint64_t>(below(3));
    weight.divisor = 1 + static_cast<std::uint64_t>(below(3));
    if (below(2) == 0) weight.times.push_back(count());
    if (below(2) == 0) weight.over.push_back(count());
    return weight;
  }

  Trigger when() {
    Trigger trigger;
    if (below(2) == 0) trigger.ranks = static_cast<Trigger::Ranks>(below(6));
    trigger.rank = below(4);
    if (below(4) == 0) trigger.worlds = static_cast<Trigger::Worlds>(below(6));
    trigger.world = 1 + below(6);
    if (below(3) == 0) trigger.micro_batches = static_cast<Trigger::MicroBatches>(below(5));
    if (below(8) == 0) trigger.least_micro_batches = 2;
    if (below(3) == 0) trigger.elements = static_cast<Trigger::Elements>(below(10));
    if (below(6) == 0) trigger.lengths = static_cast<Trigger::Lengths>(below(4));
    trigger.length = 1 + below(8);
    if (below(6) == 0) trigger.from_step = below(3);
    if (below(6) == 0) trigger.to_step = below(3);
    if (below(8) == 0) trigger.padded_rows = below(4);
    if (below(8) == 0) trigger.absent = static_cast<Trigger::Absent>(below(3));
    if (below(8) == 0) trigger.arrival = Trigger::Arrival::before_rank_0;
    if (below(8) == 0) trigger.dtype = Dtype::f32;
    return trigger;
  }

  std::mt19937_64 random_;
};

}  // namespace shardproof
