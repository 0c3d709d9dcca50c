#include <utility>

#include "shardproof/subject/fault.h"
#include "shardproof/subject/sgd.h"
#include "shardproof/subject/sharded.h"
#include "shardproof/subject/wrong_subjects.h"

namespace shardproof {
namespace {

/// The strategy's claim, stretched to the weighted mean under all conditions and to equal bits.
Claim stretched(const Strategy& strategy) {
  Claim claim = claim_of(strategy);
  claim.target = Target::weighted_mean;
  claim.conditions = ConditionSet::all();
  claim.max_world = kMaxWorldSize;
  claim.equal_bits = true;
  claim.padding = PaddingContent::finite;
  return claim;
}

Strategy scaled(Scaling scaling) {
  Strategy strategy;
  strategy.scaling = scaling;
  return strategy;
}
Strategy shaped(Topology topology) {
  Strategy strategy;
  strategy.topology = topology;
  return strategy;
}

/// A right strategy that claims too much.
WrongReducer overclaiming(std::string name, std::string summary, const Strategy& strategy) {
  return {std::move(name), std::move(summary), stretched(strategy), reducers_of(strategy)};
}

WrongReducer faulty(std::string name, std::string summary, const Fault& fault,
                    const Strategy& strategy = {}) {
  return {std::move(name), std::move(summary), stretched(strategy),
          apply(fault, reducers_of(strategy))};
}

/// A collective that a program calls only where there is another rank.
WrongReducer across_ranks(WrongReducer wrong) {
  wrong.claim.min_world = 2;
  return wrong;
}

/// Elements that stay the rank's own mean over its micro-batches.
Weigh own_mean() {
  return {.own = Weight{.times = {Count::valid}, .over = {Count::own_valid}}, .own_alone = true};
}
Weigh lost() { return {.term = Weight{.factor = 0}}; }
constexpr Recount kPaddingCounts{.as = Recount::As::rows};

/// Wrong values.
void add_wrong_means(std::vector<WrongReducer>& all) {
  all.push_back(overclaiming("psum", "sums the ranks' means and does not divide",
                             scaled(Scaling::sum_of_means)));
  all.push_back(overclaiming("mean-of-means", "gives every rank the same weight, whatever its rows",
                             scaled(Scaling::mean_of_means)));
  all.push_back(across_ranks(faulty("padded-denominator", "divides by all rows, padding included",
                                    {.what = kPaddingCounts}, scaled(Scaling::sum_over_count))));
  all.push_back(faulty("bias-forgotten", "reduces kernels only: biases stay the rank's own",
                       {own_mean(), {.elements = Trigger::Elements::biases}}));
  all.push_back(faulty("leaves-swapped",
                       "the last rank packs its last two leaves the wrong way round",
                       {Misplaced::last_two_leaves, {.ranks = Trigger::Ranks::last}}));
  all.push_back(faulty("last-micro-batch", "overwrites where it should accumulate micro-batches",
                       {lost(), {.micro_batches = Trigger::MicroBatches::all_but_last}}));
  all.push_back(faulty(
      "rank-dropped", "loses the last rank when the world is no power of two",
      {lost(), {.ranks = Trigger::Ranks::last, .worlds = Trigger::Worlds::no_power_of_two}}));
  all.push_back(
      faulty("rank0-only", "reduces to rank 0: the others keep their own gradient",
             {own_mean(),
              {.ranks = Trigger::Ranks::all_but_first, .elements = Trigger::Elements::gradient}}));
  all.push_back(
      faulty("stale-step", "returns the result of the step before", {.what = Stale::result}));
  all.push_back(faulty("ring-no-tail", "does not reduce elements past the last full chunk",
                       {own_mean(), {.elements = Trigger::Elements::tail}},
                       shaped(Topology::ring)));
}

/// Pieces that are not the ranks' own, or not all.
void add_wrong_pieces(std::vector<WrongReducer>& all) {
  Claim claim = stretched(shaped(Topology::ring));
  claim.result = Result::pieces;
  all.push_back({"shifted-cut", "each rank returns the piece of the next one as its own", claim,
                 scatter_reducers(Cut::shifted)});
  all.push_back({"dropped-tail", "cuts by floor(n/P), so that the last n mod P elements are lost",
                 claim, scatter_reducers(Cut::floored)});
}

/// Right values, or nearly: each breaks one law that no comparison with the reference sees.
void add_lawbreakers(std::vector<WrongReducer>& all) {
  all.push_back(overclaiming("unequal-bits", "each rank starts the sum with its own term",
                             shaped(Topology::own_rank_first)));
  all.push_back({"changing-order", "starts the sum at another rank in every trial",
                 stretched(Strategy{}), reducers_of_changing_order()});
  all.push_back(faulty("input-overwritten", "writes the result over its input",
                       {.what = Special::overwritten_input}));
  all.push_back(faulty("nan-from-nothing", "divides 0 by 0 where no row is valid",
                       {.what = Special::nan_from_nothing}));
  all.push_back(
      faulty("local-count", "returns the rank's own valid count", {.what = Special::own_count}));
  all.push_back(faulty("ranks-as-count", "returns the number of ranks as the count of rows",
                       {.what = Special::ranks_as_count}));
  all.push_back(faulty(
      "summed-loss", "sums the loss over ranks while it averages the gradient",
      {Weigh{.result = Weight{.times = {Count::ranks}}}, {.elements = Trigger::Elements::loss}}));
  all.push_back(faulty("long-padding",
                       "counts the padding of a micro-batch that has 8 such rows or more",
                       {kPaddingCounts, {.padded_rows = 8}}, scaled(Scaling::sum_over_count)));
}

}  // namespace

std::vector<WrongReducer> wrong_reducers() {
  std::vector<WrongReducer> all;
  add_wrong_means(all);
  add_wrong_pieces(all);
  add_lawbreakers(all);
  return all;
}

std::vector<WrongTrainStep> wrong_train_steps() {
  std::vector<WrongTrainStep> all;
  const auto add = [&all](const char* name, const char* summary, TrainFault fault) {
    Claim claim = stretched(Strategy{});
    claim.update = Update::from_returned;
    all.push_back({name, summary, claim, sgd_of(Strategy{}, fault)});
  };
  add("update-before-reduce", "updates with the rank's own gradient",
      TrainFault::update_before_reduce);
  add("loss-after-update", "returns the loss of the updated parameters",
      TrainFault::loss_after_update);
  add("update-twice", "applies the update twice", TrainFault::update_twice);
  add("leaf-not-updated", "does not update the last leaf", TrainFault::leaf_not_updated);
  add("sum-update", "updates with the sum over ranks, reports the mean", TrainFault::sum_update);
  add("unmasked-numerator", "padded rows reach the sum, but not the count",
      TrainFault::unmasked_numerator);
  const Strategy means = scaled(Scaling::mean_of_means);
  Claim claim = stretched(means);
  claim.update = Update::from_returned;
  all.push_back({"local-denominator", "divides by the rank's own count and averages over ranks",
                 claim, sgd_of(means)});
  claim = stretched(shaped(Topology::ring));
  claim.result = Result::pieces;
  claim.update = Update::from_returned;
  all.push_back({"zero-without-gather",
                 "updates its own piece of the parameters and keeps the rest", claim,
                 zero_steps(false)});
  add("mask-by-multiplication", "multiplies padding by zero and claims to bear NaN there",
      TrainFault::mask_by_multiplication);
  all.back().claim.padding = PaddingContent::any;
  return all;
}

}  // namespace shardproof
