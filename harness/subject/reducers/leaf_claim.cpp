#include <array>

#include "shardproof/subject/leaf_reduction.h"

namespace shardproof {
namespace {

constexpr std::array kScalings{LeafScaling::divide_after,
                               LeafScaling::multiply_after,
                               LeafScaling::divide_before,
                               LeafScaling::multiply_before,
                               LeafScaling::divide_twice,
                               LeafScaling::weight_divide,
                               LeafScaling::weight_multiply,
                               LeafScaling::share,
                               LeafScaling::weighted_reciprocal,
                               LeafScaling::divide_weight,
                               LeafScaling::sums_over_count,
                               LeafScaling::mean_over_ranks,
                               LeafScaling::sum};
constexpr std::array kJoinings{LeafJoining::terms, LeafJoining::ranks_first, LeafJoining::own_mean,
                               LeafJoining::running_mean};
constexpr std::array kOrders{LeafOrder::forwards,         LeafOrder::backwards,
                             LeafOrder::pairwise,         LeafOrder::ring,
                             LeafOrder::halving_doubling, LeafOrder::groups,
                             LeafOrder::random_tree,      LeafOrder::compensated};

bool averages_own(LeafJoining joining) {
  return joining == LeafJoining::own_mean || joining == LeafJoining::running_mean;
}

struct PlacedRoundings {
  int before;  ///< of a term, its constants' too
  int after;   ///< of the sum, but for the last operation on it
  bool operates_last;
};

/// Whether every value of `narrow` is one of `wide`.
bool holds_all(Dtype wide, Dtype narrow) {
  const Format& w = format(wide);
  const Format& n = format(narrow);
  return w.precision >= n.precision && w.largest >= n.largest &&
         w.smallest_subnormal <= n.smallest_subnormal;
}

/// NUMERICS 1.4.
PlacedRoundings roundings_of(LeafScaling scaling) {
  switch (scaling) {
    case LeafScaling::divide_after:
    case LeafScaling::sums_over_count:
    case LeafScaling::mean_over_ranks:
      return {0, 0, true};
    case LeafScaling::multiply_after:
      return {0, 1, true};
    case LeafScaling::divide_before:
      return {1, 0, false};
    case LeafScaling::multiply_before:
    case LeafScaling::share:
    case LeafScaling::divide_weight:
      return {2, 0, false};
    case LeafScaling::divide_twice:
      return {1, 1, true};
    case LeafScaling::weight_divide:
      return {1, 0, true};
    case LeafScaling::weight_multiply:
      return {1, 1, true};
    case LeafScaling::weighted_reciprocal:
      return {3, 0, false};
    case LeafScaling::sum:
      break;
  }
  return {0, 0, false};
}

}  // namespace

bool needs_equal_counts(LeafScaling scaling) {
  return scaling == LeafScaling::divide_after || scaling == LeafScaling::multiply_after ||
         scaling == LeafScaling::divide_before || scaling == LeafScaling::multiply_before ||
         scaling == LeafScaling::divide_twice;
}

std::string_view not_right(const LeafReduction& r) {
  const bool own = averages_own(r.joining);
  if (r.scaling == LeafScaling::mean_over_ranks && !own) return "ranks have no mean of their own";
  if (own && (r.scaling == LeafScaling::sum || r.scaling == LeafScaling::sums_over_count)) {
    return "a mean is no sum";
  }
  if (!r.declared) return "";
  // The amplification of what underflows is part of the bound of an open claim only.
  if (r.scaling == LeafScaling::divide_weight || r.joining == LeafJoining::own_mean ||
      r.scaling == LeafScaling::mean_over_ranks) {
    return "no number of roundings covers an underflow that is multiplied";
  }
  return "";
}

Claim claim_of(const LeafReduction& r, Dtype dtype) {
  Claim claim;
  claim.accumulate = r.accumulate;
  claim.accumulates_in_16_bits = !r.accumulate;
  claim.wire = r.wire;
  claim.output = r.output;
  if (r.scaling == LeafScaling::mean_over_ranks) claim.target = Target::mean_over_ranks;
  if (r.scaling == LeafScaling::sum) claim.target = Target::sum;
  if (r.scaling == LeafScaling::sums_over_count) claim.input = InputForm::local_sum;
  if (needs_equal_counts(r.scaling)) claim.conditions = {Condition::equal};
  if (!r.declared) return claim;
  const PlacedRoundings m = roundings_of(r.scaling);
  int count = m.before + m.after;
  const Dtype accumulate = r.accumulate.value_or(dtype);
  if (!holds_all(accumulate, dtype)) ++count;  // terms may lose bits on the way in
  // The last operation is not the last rounding.
  if (m.operates_last && accumulate != r.output.value_or(dtype)) ++count;
  claim.roundings = count;
  if (r.joining == LeafJoining::running_mean) {
    claim.accumulation = Accumulation::running_mean;
  } else if (r.order != LeafOrder::compensated) {
    claim.summation = Summation::tree;
  }
  return claim;
}

std::span<const LeafScaling> all_leaf_scalings() { return kScalings; }
std::span<const LeafJoining> all_leaf_joinings() { return kJoinings; }
std::span<const LeafOrder> all_leaf_orders() { return kOrders; }

std::string_view name(LeafScaling scaling) {
  constexpr std::array<std::string_view, kScalings.size()> kNames{"divide after",
                                                                  "multiply after",
                                                                  "divide before",
                                                                  "multiply before",
                                                                  "divide twice",
                                                                  "weight, divide",
                                                                  "weight, multiply",
                                                                  "share",
                                                                  "weighted reciprocal",
                                                                  "divide, weight",
                                                                  "sums over count",
                                                                  "mean over ranks",
                                                                  "sum"};
  return kNames[static_cast<std::size_t>(scaling)];
}

std::string_view name(LeafJoining joining) {
  constexpr std::array<std::string_view, kJoinings.size()> kNames{"all terms", "ranks first",
                                                                  "own mean", "running mean"};
  return kNames[static_cast<std::size_t>(joining)];
}

std::string_view name(LeafOrder order) {
  constexpr std::array<std::string_view, kOrders.size()> kNames{
      "forwards",         "backwards", "pairwise",    "ring",
      "halving-doubling", "groups",    "random tree", "compensated"};
  return kNames[static_cast<std::size_t>(order)];
}

std::string describe(const LeafReduction& r, Dtype dtype) {
  std::string text(name(r.scaling));
  text.append("; ").append(name(r.joining)).append("; ").append(name(r.order));
  if (r.order == LeafOrder::random_tree || r.order == LeafOrder::groups) {
    text += " " + std::to_string(r.seed);
  }
  text.append("; ").append(shardproof::name(r.accumulate.value_or(dtype)));
  if (r.wire) text.append(", wire ").append(shardproof::name(*r.wire));
  if (r.output) text.append(", output ").append(shardproof::name(*r.output));
  return text;
}

}  // namespace shardproof
