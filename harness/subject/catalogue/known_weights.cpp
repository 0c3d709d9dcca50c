#include "subject/catalogue/known.h"

namespace shardproof {
namespace {

using enum Count;

constexpr const char* kFixCounts =
    "all-reduce the counts as well, divide the summed gradient by the total count";
constexpr const char* kCountMask = "count the rows that the mask keeps";

void add_means(std::vector<KnownFault>& all) {
  all.push_back({"mean-of-rank-means", FaultFamily::weights, "(1/P) sum_r mean_r",
                 "the mean of per-rank means", kFixCounts,
                 weighing({valid}, {ranks, valid_of_rank})});
  all.push_back({"mean-of-micro-batch-means", FaultFamily::weights, "(1/(P K)) sum_rk mean_rk",
                 "the mean of the means of all ranks and micro-batches",
                 "weight each micro-batch by its valid count",
                 weighing({}, {ranks, micro_batches})});
  all.push_back({"mean-of-filled-rank-means", FaultFamily::weights,
                 "mean of the means of ranks that have rows",
                 "ranks without a valid row are left out of P", kFixCounts,
                 weighing({valid}, {ranks_with_rows, valid_of_rank})});
  all.push_back({"mean-of-filled-micro-batch-means", FaultFamily::weights,
                 "mean of the means of micro-batches that have rows",
                 "micro-batches without a valid row are left out of P K", kFixCounts,
                 weighing({}, {micro_batches_with_rows})});
  all.push_back({"rank-means-of-micro-batch-means", FaultFamily::weights,
                 "sum_r (n_r/N) (1/K) sum_k mean_rk",
                 "ranks are weighted by their counts, their micro-batches are not",
                 "weight each micro-batch by its valid count",
                 weighing({valid_of_rank}, {micro_batches, valid_of_all})});
  all.push_back({"weighted-by-rows",
                 FaultFamily::weights,
                 "sum_r rows_r mean_r / rows",
                 "each rank is weighted by its rows with the padded ones",
                 "weight by the rows that the mask keeps",
                 {Recount{.as = Recount::As::rows, .weighs = true}, {}}});
  all.push_back({"own-count-for-all",
                 FaultFamily::weights,
                 "n_r sum_j mean_j / (P n_r - 1) on rank r",
                 "each rank used its own count for all ranks",
                 "gather the counts as well",
                 {Weigh{.term = Weight{.times = {valid}, .over = {valid_of_rank}},
                        .result = Weight{.times = {own_valid}, .over = {own_variance_divisor}}},
                  {}}});
}

void add_denominators(std::vector<KnownFault>& all) {
  all.push_back({"padding-counted",
                 FaultFamily::denominator,
                 "sum_r n_r mean_r / rows",
                 "padded rows are in the denominator",
                 kCountMask,
                 {Recount{.as = Recount::As::rows}, {}}});
  all.push_back({"own-count", FaultFamily::denominator, "sum_j n_j mean_j / n_r on rank r",
                 "divided by the rank's own count instead of the total", kFixCounts,
                 weighing({valid}, {own_valid})});
  all.back().fault = {
      Weigh{.term = Weight{.times = {valid}}, .result = Weight{.over = {own_valid}}}, {}};
  all.push_back({"configured-batch", FaultFamily::denominator, "sum_r n_r mean_r / largest N",
                 "divided by the largest batch so far, not by the rows that are there",
                 "count the rows of the step", weighing({valid}, {largest_batch})});
  all.push_back({"expected-batch-16",
                 FaultFamily::denominator,
                 "sum_r n_r mean_r / 16",
                 "divided by a batch of 16 rows, whatever is there",
                 "count the rows of the step",
                 {Weigh{.term = Weight{.divisor = 16, .times = {valid}}}, {}}});
  all.push_back({"count-never-reset", FaultFamily::denominator,
                 "sum_r n_r mean_r / N of all steps so far",
                 "the count covers more steps than the sum", "reset the count with every step",
                 weighing({valid}, {valid_so_far})});
  all.push_back({"floored-count", FaultFamily::denominator, "sum_r n_r mean_r / (P floor(N/P))",
                 "the count was averaged over ranks as an integer", "sum the counts",
                 weighing({valid}, {ranks, whole_share})});
}

void add_empty_parts(std::vector<KnownFault>& all) {
  all.push_back({"empty-ranks-counted", FaultFamily::empty_shard, "G ranks_with_rows / P",
                 "ranks without a valid row count as ranks that contribute", kFixCounts,
                 weighing({ranks_with_rows, valid}, {ranks, valid_of_all})});
  all.push_back({"empty-micro-batches-counted", FaultFamily::empty_shard,
                 "G micro_batches_with_rows / (P K)",
                 "micro-batches without a valid row are averaged in as zeros", kFixCounts,
                 weighing({micro_batches_with_rows, valid}, {ranks, micro_batches, valid_of_all})});
  all.push_back({"configured-window-4", FaultFamily::denominator, "G K / 4",
                 "divided by a window of 4 micro-batches, whatever there are",
                 "count the micro-batches of the step", scaled(1, 4)});
  std::get<Weigh>(all.back().fault.what).term->times.push_back(micro_batches);
}

}  // namespace

void add_known_weights(std::vector<KnownFault>& all) {
  add_means(all);
  add_denominators(all);
  add_empty_parts(all);
}

}  // namespace shardproof
