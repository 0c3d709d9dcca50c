#include "subject/catalogue/known.h"

namespace shardproof {
namespace {

using enum Count;

constexpr const char* kDivideByCount =
    "divide by the total count (by P where all counts are equal)";
constexpr const char* kDivideOnce = "divide once";

void add_sums(std::vector<KnownFault>& all) {
  // Only local means can be summed by mistake: sums of the other forms have formulas of their own.
  all.push_back({"sum-of-micro-batch-means", FaultFamily::global_scale, "sum_rk mean_rk",
                 "the sum of the means of all ranks and micro-batches", kDivideByCount,
                 weighing({})});
  all.push_back({"sum-of-rank-means", FaultFamily::global_scale, "sum_r mean_r",
                 "the sum of per-rank means: summed where the mean was due", kDivideByCount,
                 weighing({valid}, {valid_of_rank})});
  all.push_back({"times-ranks", FaultFamily::global_scale, "P G",
                 "P times the reference: summed over ranks where the mean was due",
                 "divide by P once", weighing({ranks, valid}, {valid_of_all})});
  all.push_back({"times-micro-batches", FaultFamily::global_scale, "K G",
                 "K times the reference: summed over micro-batches where the mean was due",
                 "divide by the number of micro-batches, once",
                 weighing({micro_batches, valid}, {valid_of_all})});
  all.push_back({"times-pairs", FaultFamily::duplicate, "ceil(P/2) G",
                 "ceil(P/2) times the reference: every pair of ranks summed over all of them",
                 "hand the group to the inner reduction",
                 weighing({pairs_of_ranks, valid}, {valid_of_all})});
  all.push_back({"not-divided", FaultFamily::global_scale, "sum_r n_r mean_r",
                 "weighted by counts and not divided", "divide by the total count",
                 weighing({valid})});
  all.push_back({"counts-over-ranks", FaultFamily::global_scale, "sum_r n_r mean_r / P",
                 "weighted by counts, then divided by the number of ranks",
                 "divide by the total count", weighing({valid}, {ranks})});
}

void add_divisions(std::vector<KnownFault>& all) {
  all.push_back({"divided-by-ranks-twice", FaultFamily::global_scale, "G / P",
                 "the reference divided by P: the division is made twice", kDivideOnce,
                 weighing({valid}, {ranks, valid_of_all})});
  all.push_back({"divided-by-micro-batches", FaultFamily::global_scale, "G / K",
                 "the reference divided by the number of micro-batches: the division is made twice",
                 kDivideOnce, weighing({valid}, {micro_batches, valid_of_all})});
  all.push_back({"divided-by-batch-rows", FaultFamily::global_scale,
                 "sum_rk n_rk mean_rk / (rows_rk N)",
                 "each micro-batch is divided by its rows once more", kDivideOnce,
                 weighing({valid}, {rows, valid_of_all})});
}

void add_constants(std::vector<KnownFault>& all) {
  constexpr const char* kCheckFactor = "take the factor from the group that averages";
  all.push_back({"twice", FaultFamily::global_scale, "2 G", "twice the reference", kCheckFactor,
                 scaled(2, 1)});
  all.push_back({"half", FaultFamily::global_scale, "G / 2", "half the reference", kCheckFactor,
                 scaled(1, 2)});
  all.push_back({"four-times", FaultFamily::global_scale, "4 G", "four times the reference",
                 kCheckFactor, scaled(4, 1)});
  all.push_back({"quarter", FaultFamily::global_scale, "G / 4", "a quarter of the reference",
                 kCheckFactor, scaled(1, 4)});
  all.push_back({"zero",
                 FaultFamily::narrow,
                 "0",
                 "zeros: the factor was rounded to zero",
                 "keep the factor in floating point",
                 {Weigh{.term = Weight{.factor = 0}}, {}}});
}

void add_leaf_lengths(std::vector<KnownFault>& all) {
  all.push_back({"leaf-length-for-ranks", FaultFamily::leaf_scale, "P G / leaf length",
                 "divided by the length of the leaf instead of P", "divide by P",
                 weighing({ranks, valid}, {leaf_size, valid_of_all})});
  all.push_back({"divided-by-leaf-length", FaultFamily::leaf_scale, "G / leaf length",
                 "divided by the length of the leaf, too", kDivideOnce,
                 weighing({valid}, {leaf_size, valid_of_all})});
}

}  // namespace

void add_known_scales(std::vector<KnownFault>& all) {
  add_sums(all);
  add_divisions(all);
  add_constants(all);
  add_leaf_lengths(all);
}

}  // namespace shardproof
