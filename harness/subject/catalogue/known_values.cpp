#include "subject/catalogue/known.h"

namespace shardproof {
namespace {

using Ranks = Trigger::Ranks;

void add_misplaced(std::vector<KnownFault>& all) {
  constexpr const char* kSameLayout = "pack every leaf at the same place on every rank";
  all.push_back({"leaves-swapped",
                 FaultFamily::mix_leaves,
                 "G with the last two leaves exchanged",
                 "the last two leaves change places",
                 kSameLayout,
                 {Misplaced::last_two_leaves, {}}});
  all.push_back({"leaves-swapped-on-last-rank",
                 FaultFamily::mix_leaves,
                 "G with the last two leaves of the last rank exchanged",
                 "the last rank packs its last two leaves the wrong way round",
                 kSameLayout,
                 {Misplaced::last_two_leaves, {.ranks = Ranks::last}}});
  all.push_back({"shifted-on-last-rank",
                 FaultFamily::mix_leaves,
                 "G with the last rank's elements shifted by one",
                 "the last rank's buffer is off by one element",
                 kSameLayout,
                 {Misplaced::next_element, {.ranks = Ranks::last}}});
  all.push_back({"shifted-in-leaf",
                 FaultFamily::mix_leaves,
                 "G with elements shifted by one within their leaf",
                 "values stand at the indices of others",
                 "use each leaf's own indices",
                 {Misplaced::within_leaf, {}}});
  all.push_back({"next-leaf",
                 FaultFamily::alias,
                 "G of the next leaf",
                 "a leaf was overwritten by its successor before it was sent",
                 "do not write into a buffer that is being reduced",
                 {Misplaced::next_leaf, {}}});
  all.push_back({"packed-without-absent",
                 FaultFamily::mix_leaves,
                 "G with absent leaves left out when packing",
                 "leaves without a gradient are not packed: offsets differ between ranks",
                 "pack zeros for a missing leaf",
                 {Misplaced::packed, {}}});
}

void add_stale(std::vector<KnownFault>& all) {
  constexpr const char* kWait = "wait for this step's reduction";
  constexpr const char* kFresh = "wait for this step's contribution";
  all.push_back({"previous-result",
                 FaultFamily::stale,
                 "G of the step before",
                 "the result of the step before is returned again",
                 kWait,
                 {Stale::result, {}}});
  all.push_back({"previous-contributions",
                 FaultFamily::stale,
                 "sum_r n_r mean_r of the step before / N",
                 "the contributions of the step before are reduced again",
                 kFresh,
                 {Stale::contribution, {}}});
  all.push_back({"previous-contribution-of-last-rank",
                 FaultFamily::stale,
                 "G with the last rank's contribution of the step before",
                 "the last rank's contribution is that of the step before",
                 kFresh,
                 {Stale::contribution, {.ranks = Ranks::last}}});
}

void add_special(std::vector<KnownFault>& all) {
  all.push_back({"nan-from-empty",
                 FaultFamily::empty_shard,
                 "NaN where a rank has no valid row",
                 "0 / 0 on a rank without a valid row spreads to all",
                 "divide by max(count, 1), or sum before dividing",
                 {Special::nan_from_empty, {.elements = Trigger::Elements::every}}});
  all.push_back({"half-sum",
                 FaultFamily::narrow,
                 "f16(P G) / P",
                 "the sum is stored as f16 before the division",
                 "accumulate in f32, or divide before the sum",
                 {Special::half_sum, {}}});
  all.push_back({"half-share",
                 FaultFamily::narrow,
                 "1024 f16(G / 1024)",
                 "shares of 1024 ranks are stored as f16 before the sum",
                 "accumulate in f32",
                 {Special::half_share, {}}});
  all.push_back({"low-half",
                 FaultFamily::narrow,
                 "G of f32 memory read as f16",
                 "leaves are read in the dtype of another leaf",
                 "take each leaf's own dtype",
                 {Special::low_half, {}}});
  all.push_back({"first-scale",
                 FaultFamily::lossy_wire,
                 "s_0 sum_r q_r",
                 "rank 0's scale is applied to the codes of every rank",
                 "send each rank's scale, or agree on one",
                 {Special::first_scale, {}}});
  all.push_back({"small-lost",
                 FaultFamily::lossy_wire,
                 "G without elements below 1/8 of their block's largest",
                 "small elements are lost under the scale of large neighbours",
                 "give every leaf a scale of its own",
                 {Special::small_lost, {}}});
}

}  // namespace

void add_known_values(std::vector<KnownFault>& all) {
  add_misplaced(all);
  add_stale(all);
  add_special(all);
}

}  // namespace shardproof
