#include "subject/catalogue/known.h"

namespace shardproof {
namespace {

using enum Count;
using Ranks = Trigger::Ranks;
using MicroBatches = Trigger::MicroBatches;

constexpr const char* kEveryRank = "include every rank";
constexpr int kNamedRanks = 8;

Fault lost(const Trigger& when) { return {Weigh{.term = Weight{.factor = 0}}, when}; }
Fault uncounted(const Trigger& when) {
  return {Recount{.as = Recount::As::zero, .weighs = true}, when};
}
Fault twice(const Trigger& when) {
  Fault fault = scaled(2, 1);
  fault.when = when;
  return fault;
}

void add_missing_rank(std::vector<KnownFault>& all, const std::string& which, const char* what,
                      const Trigger& when) {
  const std::string named = what;
  all.push_back({which + "-missing", FaultFamily::drop, "sum without " + named + " / N",
                 named + " is missing from the sum", kEveryRank, lost(when)});
  all.push_back({which + "-left-out", FaultFamily::drop, "mean without " + named,
                 named + " is missing from sum and count", kEveryRank, uncounted(when)});
  all.push_back({which + "-twice", FaultFamily::duplicate, "(sum with " + named + " twice) / N",
                 named + " is in the sum twice", "add every rank once", twice(when)});
}

void add_ranks(std::vector<KnownFault>& all) {
  for (int rank = 0; rank < kNamedRanks; ++rank) {
    const std::string number = std::to_string(rank);
    add_missing_rank(all, "rank-" + number, ("rank " + number).c_str(),
                     {.ranks = Ranks::only, .rank = rank});
  }
  add_missing_rank(all, "last-rank", "the last rank", {.ranks = Ranks::last});
  all.push_back({"rank-0-mean", FaultFamily::drop, "mean_0", "rank 0's own mean on every rank",
                 "reduce before broadcasting", uncounted({.ranks = Ranks::all_but_first})});
  Fault overwritten = twice({.ranks = Ranks::all_but_first});
  std::get<Weigh>(overwritten.what).rest = Weight{.factor = 0};
  all.push_back({"rank-0-overwritten", FaultFamily::alias, "2 (sum without rank 0) / N",
                 "rank 0's term was overwritten and the sum of the others added to itself",
                 "receive into a buffer of its own", overwritten});
  const Weight share = right_weight();
  all.push_back({"own-twice",
                 FaultFamily::alias,
                 "G + n_r mean_r / N on rank r",
                 "each rank's own term is in its sum twice",
                 "do not hand the same buffer to send and receive",
                 {Weigh{.own = share}, {}}});
}

void add_micro_batches(std::vector<KnownFault>& all) {
  constexpr const char* kAccumulate = "accumulate, do not overwrite";
  all.push_back({"last-micro-batch-only", FaultFamily::drop, "last micro-batches / N",
                 "only the last micro-batch of each rank is in the sum", kAccumulate,
                 lost({.micro_batches = MicroBatches::all_but_last})});
  all.push_back({"first-micro-batch-only", FaultFamily::drop, "first micro-batches / N",
                 "only the first micro-batch of each rank is in the sum",
                 "accumulate every micro-batch",
                 lost({.micro_batches = MicroBatches::all_but_first})});
  all.push_back({"first-micro-batch-missing", FaultFamily::drop,
                 "all but the first micro-batches / N",
                 "the first micro-batch of each rank is missing from the sum", kAccumulate,
                 lost({.micro_batches = MicroBatches::first})});
  all.push_back({"last-micro-batch-missing", FaultFamily::drop,
                 "all but the last micro-batches / N",
                 "the last micro-batch of each rank is missing from the sum",
                 "reduce after the last micro-batch", lost({.micro_batches = MicroBatches::last})});
  all.push_back({"last-micro-batch-mean", FaultFamily::drop, "mean of the last micro-batches",
                 "all but the last micro-batch of each rank is missing from sum and count",
                 kAccumulate, uncounted({.micro_batches = MicroBatches::all_but_last})});
  all.push_back({"last-micro-batch-times-ranks", FaultFamily::term_scale,
                 "G + (P - 1) last micro-batches / N",
                 "one term, the last micro-batch, is P times what it should be",
                 "scale every term of the loss alike",
                 weighing({ranks, valid}, {valid_of_all}, {.micro_batches = MicroBatches::last})});
  all.push_back(
      {"earlier-micro-batches-times-ranks", FaultFamily::duplicate,
       "P (all but the last micro-batches) / N + last micro-batches / N",
       "what was reduced already is reduced again with every micro-batch",
       "reduce once, after the last micro-batch",
       weighing({ranks, valid}, {valid_of_all}, {.micro_batches = MicroBatches::all_but_last})});
  all.push_back(
      {"last-micro-batch-unreduced",
       FaultFamily::after_reduction,
       "all but the last micro-batches / N + n_rK mean_rK / n_r on rank r",
       "the last micro-batch came after the reduction and stayed the rank's own",
       "reduce after the last contribution",
       {Weigh{.term = Weight{.factor = 0}, .own = Weight{.times = {valid}, .over = {own_valid}}},
        {.micro_batches = MicroBatches::last}}});
}

void add_unreduced(std::vector<KnownFault>& all) {
  all.push_back({"own-mean", FaultFamily::no_reduction, "mean_r on rank r",
                 "the rank's own mean: these values were never reduced",
                 "reduce every leaf on every rank", unreduced({valid}, {own_valid})});
  all.push_back({"own-share", FaultFamily::no_reduction, "n_r mean_r / N on rank r",
                 "the rank's own share: these values were never summed", "sum over the ranks",
                 unreduced({valid}, {valid_of_all})});
  all.push_back({"own-share-times-ranks", FaultFamily::no_reduction, "P n_r mean_r / N on rank r",
                 "P times the rank's own share: scaled for a sum that was never made",
                 "sum over the ranks", unreduced({ranks, valid}, {valid_of_all})});
  all.push_back({"scaled-by-own-count",
                 FaultFamily::after_reduction,
                 "n_r sum_j mean_j / N on rank r",
                 "ranks differ by their own valid count: weighted after the reduction",
                 "weight before the reduction",
                 {Weigh{.term = Weight{.times = {valid}, .over = {valid_of_rank}},
                        .result = Weight{.times = {own_valid}, .over = {valid_of_all}}},
                  {}}});
}

}  // namespace

void add_known_terms(std::vector<KnownFault>& all) {
  add_ranks(all);
  add_micro_batches(all);
  add_unreduced(all);
}

}  // namespace shardproof
