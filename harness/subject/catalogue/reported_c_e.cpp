#include "subject/catalogue/reported.h"

namespace shardproof {
namespace {

using Elements = Trigger::Elements;
using Worlds = Trigger::Worlds;
using Absent = Trigger::Absent;

void add_c(std::vector<ReportedFault>& all) {
  all.push_back(
      planted({"C01", FaultFamily::weights, 2024, "https://github.com/mosaicml/composer/pull/3677",
               "Micro-batches are weighted by all tokens while their means are over valid ones."},
              "weighted-by-rows", {.what = known("weighted-by-rows"), .base = {}}));
  all.push_back(planted(
      {"C03", FaultFamily::denominator, 2024, "https://github.com/keras-team/keras/issues/19740",
       "A weighted sum is divided by the number of rows instead of the sum of weights."},
      "padding-counted", {.what = known("padding-counted"), .base = on(Topology::tree)}));
  all.push_back(planted(
      {"C04", FaultFamily::after_reduction, 2026, "https://github.com/EleutherAI/bergson/pull/432",
       "The weight by the own count is applied after the ranks were summed."},
      "scaled-by-own-count", {.what = known("scaled-by-own-count"), .base = {}, .min_world = 2}));
  all.push_back(
      planted({"C05", FaultFamily::weights, 2020, "https://github.com/tianzhi0549/FCOS/issues/228",
               "Positives are counted on each rank because the wrapper averages anyway."},
              "mean-of-rank-means",
              {.what = known("mean-of-rank-means"), .base = on(Topology::halving_doubling)}));
}

void add_d(std::vector<ReportedFault>& all) {
  all.push_back(planted(
      {"D01", FaultFamily::global_scale, 2024, "https://github.com/deepspeedai/DeepSpeed/pull/5555",
       "Dense gradients are divided by the size of two axes instead of one."},
      "quarter", {.what = known("quarter"), .base = {}}));
  all.push_back(planted(
      {"D02", FaultFamily::leaf_scale, 2024, "https://github.com/deepspeedai/DeepSpeed/pull/6546",
       "Expert gradients are divided by a group that is too small."},
      "four-times", {.what = known("four-times", {.elements = Elements::last_leaf}), .base = {}}));
  all.push_back(planted(
      {"D03", FaultFamily::leaf_scale, 2026, "https://github.com/NVIDIA/Megatron-LM/pull/5956",
       "An average over the data axis misses the ranks of the expert axis."},
      "twice", {.what = known("twice", {.elements = Elements::last_leaf}), .base = {}}));
  all.push_back(
      planted({"D06", FaultFamily::global_scale, 2026, "https://github.com/hamishivi/tmax/pull/9",
               "The factor that undoes an average knows one axis, the average two."},
              "quarter", {.what = known("quarter"), .base = on(Topology::ring)}));
  all.push_back(planted(
      {"D07", FaultFamily::no_reduction, 2022,
       "https://github.com/bigcode-project/Megatron-LM/issues/11",
       "An extra reduction covers a shared kernel and forgets its bias."},
      "own-share",
      {.what = known("own-share", {.elements = Elements::biases}), .base = {}, .min_world = 2}));
  all.push_back(planted(
      {"D09", FaultFamily::duplicate, 2026, "https://github.com/Wenyueh/MinivLLM/issues/80",
       "A bias is added on each rank before the sum."},
      "times-ranks",
      {.what = known("times-ranks", {.elements = Elements::biases}), .base = {}, .min_world = 2}));
  all.push_back(planted(
      {"D10", FaultFamily::global_scale, 2025, "https://github.com/pytorch/pytorch/pull/167178",
       "A divisor of the user is ignored where the group has one member."},
      "four-times",
      {.what = known("four-times", {.worlds = Worlds::exactly, .world = 1}), .base = {}}));
  all.push_back(planted(
      {"D11", FaultFamily::global_scale, 2025, "https://github.com/pytorch/pytorch/issues/155903",
       "A factor replaces the divisor of one stage of two."},
      "half", {.what = known("half"), .base = {}}));
  all.push_back(planted({"D12", FaultFamily::duplicate, 2025,
                         "https://github.com/aws-neuron/aws-neuron-sdk/issues/1107",
                         "The group is dropped on the way, so every group reduces over all ranks."},
                        "times-pairs", {.what = known("times-pairs"), .base = {}, .min_world = 2}));
  all.push_back(planted(
      {"D14", FaultFamily::global_scale, 2026, "https://github.com/NVIDIA/Megatron-LM/pull/5798",
       "A factor that should cancel sequence length times micro-batch size knows the length "
       "alone."},
      "divided-by-batch-rows", {.what = known("divided-by-batch-rows"), .base = {}}));
  all.push_back(
      left_out({"D15", FaultFamily::narrow, 2026, "https://github.com/ROCm/rocm-systems/pull/7851",
                "An integer average over two levels truncates twice."},
               "needs two axes and integer values, of which no gradient is"));
  all.push_back(planted({"D16", FaultFamily::global_scale, 2025,
                         "https://github.com/meta-pytorch/torchtune/pull/2436",
                         "Scaling takes the world size where only the data axis averages."},
                        "twice", {.what = known("twice"), .base = on(Topology::tree)}));
}

void add_e(std::vector<ReportedFault>& all) {
  all.push_back(planted(
      {"E01", FaultFamily::no_reduction, 2021, "https://github.com/pytorch/pytorch/issues/69031",
       "A parameter that the last micro-step does not use is never reduced."},
      "own-mean",
      {.what = known("own-mean", {.elements = Elements::gradient, .absent = Absent::from_last}),
       .base = {},
       .min_world = 2}));
  all.push_back(planted(
      {"E02", FaultFamily::no_reduction, 2024, "https://github.com/pytorch/pytorch/issues/128949",
       "An unused leaf keeps the bucket that it shares from being reduced."},
      "own-mean",
      {.what = known("own-mean", {.elements = Elements::gradient, .absent = Absent::somewhere}),
       .base = {},
       .min_world = 2}));
  all.push_back(planted(
      {"E04", FaultFamily::global_scale, 2019, "https://github.com/horovod/horovod/issues/832",
       "Workers that have run out add zeros while the divisor stays P."},
      "empty-ranks-counted", {.what = known("empty-ranks-counted"), .base = {}}));
  all.push_back(planted(
      {"E05", FaultFamily::global_scale, 2020, "https://github.com/pytorch/pytorch/pull/42577",
       "The divisor is the first number of ranks after some have run out of rows."},
      "empty-ranks-counted", {.what = known("empty-ranks-counted"), .base = on(Topology::ring)}));
  all.push_back(
      planted({"E06", FaultFamily::drop, 2024, "https://github.com/NVIDIA/nccl/issues/1417",
               "Ranks hand in unlike lengths, and the tail misses some of them."},
              "last-rank-missing",
              {.what = known("last-rank-missing", {.elements = Elements::tail}), .base = {}}));
  all.push_back(planted(
      {"E08", FaultFamily::no_reduction, 2024, "https://github.com/HenryNdubuaku/nanodl/issues/12",
       "One trainer does not reduce gradients at all."},
      "own-mean",
      {.what = known("own-mean", {.elements = Elements::gradient}), .base = {}, .min_world = 2}));
  all.push_back(
      planted({"E09", FaultFamily::drop, 2026, "https://github.com/NVIDIA/Megatron-LM/pull/7186",
               "Every micro-batch is taken for the last one, and finishing clears the buffer."},
              "last-micro-batch-only", {.what = known("last-micro-batch-only"), .base = {}}));
  all.push_back(
      planted({"E11", FaultFamily::drop, 2026, "https://github.com/allenai/open-instruct/pull/1498",
               "Every backward pass counts as the end of an accumulation window."},
              "last-micro-batch-only",
              {.what = known("last-micro-batch-only"), .base = on(Topology::ring)}));
  all.push_back(planted(
      {"E12", FaultFamily::no_reduction, 2026, "https://github.com/pytorch/pytorch/pull/187732",
       "Counts of the first window keep parameters from ever being ready again."},
      "own-mean",
      {.what = known("own-mean",
                     {.least_micro_batches = 2, .elements = Elements::gradient, .from_step = 1}),
       .base = {}}));
}

}  // namespace

void add_reported_c_e(std::vector<ReportedFault>& all) {
  add_c(all);
  add_d(all);
  add_e(all);
}

}  // namespace shardproof
