#include "subject/catalogue/reported.h"

namespace shardproof {
namespace {

using Elements = Trigger::Elements;
using Worlds = Trigger::Worlds;

void add_f(std::vector<ReportedFault>& all) {
  all.push_back(planted({"F01", FaultFamily::global_scale, 2026,
                         "https://github.com/deepspeedai/DeepSpeed/issues/7773",
                         "A pipeline engine sums micro-batches that should be averaged."},
                        "times-micro-batches", {.what = known("times-micro-batches"), .base = {}}));
  all.push_back(
      planted({"F02", FaultFamily::global_scale, 2024,
               "https://github.com/Lightning-AI/pytorch-lightning/issues/19987",
               "A short last window is divided by the configured number of micro-batches."},
              "configured-window-4", {.what = known("configured-window-4"), .base = {}}));
  all.push_back(
      planted({"F03", FaultFamily::drop, 2024, "https://github.com/deepspeedai/DeepSpeed/pull/6550",
               "A counter that starts anew elsewhere overwrites where it should add."},
              "first-micro-batch-missing",
              {.what = known("first-micro-batch-missing", {.from_step = 1}), .base = {}}));
  all.push_back(
      planted({"F04", FaultFamily::drop, 2022, "https://github.com/pytorch/pytorch/issues/73784",
               "With offload a reduced gradient replaces the stored one."},
              "last-micro-batch-only",
              {.what = known("last-micro-batch-only"), .base = on(Topology::tree)}));
  all.push_back(planted(
      {"F06", FaultFamily::drop, 2026, "https://github.com/InfiniTensor/InfiniTrain/pull/183",
       "Buckets rebuilt between micro-steps lose what was accumulated in the first step."},
      "last-micro-batch-only",
      {.what = known("last-micro-batch-only", {.to_step = 0}), .base = {}}));
  all.push_back(
      planted({"F07", FaultFamily::weights, 2026, "https://github.com/huggingface/trl/issues/7206",
               "Each micro-batch is normalised by its own tokens, and the results are averaged."},
              "mean-of-micro-batch-means",
              {.what = known("mean-of-micro-batch-means"), .base = on(Topology::ring)}));
  all.push_back(planted({"F09", FaultFamily::global_scale, 2026,
                         "https://github.com/huggingface/transformers/issues/45305",
                         "Two layers each leave the division by K to the other."},
                        "times-micro-batches",
                        {.what = known("times-micro-batches"), .base = on(Topology::ring)}));
  all.push_back(planted(
      {"F11", FaultFamily::empty_shard, 2025, "https://github.com/NVIDIA-NeMo/RL/issues/212",
       "The divisor counts micro-batches that have no valid row."},
      "empty-micro-batches-counted", {.what = known("empty-micro-batches-counted"), .base = {}}));
}

void add_g(std::vector<ReportedFault>& all) {
  all.push_back(planted(
      {"G01", FaultFamily::weights, 2019, "https://github.com/pytorch/pytorch/issues/22192",
       "Each rank uses its own count for the statistics of all ranks; planted on the gradient."},
      "own-count-for-all", {.what = known("own-count-for-all"), .base = {}, .min_world = 2}));
  all.push_back(planted({"G04", FaultFamily::non_commuting, 2026,
                         "https://github.com/deepspeedai/DeepSpeed/pull/8090",
                         "A whole-matrix step sees a reduced slice and unreduced rest."},
                        "own-mean",
                        {.what = known("own-mean", {.elements = Elements::other_chunks}),
                         .base = {},
                         .min_world = 2}));
  all.push_back(left_out(
      {"G05", FaultFamily::mix_leaves, 2024, "https://github.com/NVIDIA/Megatron-LM/issues/844",
       "Two reductions over two axes run in the wrong order."},
      "needs two axes"));
  all.push_back(
      order_only({"G06", FaultFamily::order_only, 2020, "https://github.com/NVIDIA/nccl/issues/434",
                  "One node ends a call with other last bits than the rest."},
                 "", {.what = Overclaim{}, .base = on(Topology::own_rank_first), .min_world = 2}));
  all.push_back(planted(
      {"G07", FaultFamily::no_reduction, 2025, "https://github.com/NVIDIA/Megatron-LM/issues/1446",
       "A replicated leaf that is fed by parts of a sequence is not summed over them."},
      "own-share",
      {.what = known("own-share", {.elements = Elements::first_leaf}),
       .base = {},
       .min_world = 2}));
}

void add_h(std::vector<ReportedFault>& all) {
  all.push_back(
      planted({"H01", FaultFamily::narrow, 2021, "https://github.com/pytorch/pytorch/pull/57410",
               "The sum overflows half precision before it is divided."},
              "half-sum", {.what = known("half-sum"), .base = {}}));
  all.push_back(planted(
      {"H02", FaultFamily::narrow, 2021, "https://github.com/facebookresearch/fairscale/pull/565",
       "Dividing first underflows in half precision when there are many ranks."},
      "half-share", {.what = known("half-share"), .base = {}}));
  all.push_back(planted(
      {"H05", FaultFamily::narrow, 2026, "https://github.com/InfiniTensor/InfiniCCL/pull/37",
       "The factor 1/P is cast to the integer type of the tensor; planted on the gradient."},
      "zero", {.what = known("zero", {.worlds = Worlds::at_least, .world = 2}), .base = {}}));
  all.push_back(planted({"H06", FaultFamily::denominator, 2026,
                         "https://github.com/Lightning-AI/pytorch-lightning/issues/21859",
                         "Value and count are averaged over ranks, the count as an integer."},
                        "floored-count", {.what = known("floored-count"), .base = {}}));
  all.push_back(planted(
      {"H07", FaultFamily::narrow, 2026, "https://github.com/pytorch/pytorch/issues/190745",
       "Two bytes of an f32 factor are read as bf16: zero for every power of two."},
      "zero",
      {.what = known(
           "zero",
           {.worlds = Worlds::power_of_two, .elements = Elements::gradient, .dtype = Dtype::f32}),
       .base = {}}));
  all.push_back(planted(
      {"H09", FaultFamily::narrow, 2022, "https://github.com/hpcaitech/ColossalAI/issues/675",
       "The dtype of a whole list of leaves is that of its first."},
      "low-half",
      {.what = known("low-half", {.elements = Elements::all_but_first_leaf}), .base = {}}));
}

}  // namespace

void add_reported_f_h(std::vector<ReportedFault>& all) {
  add_f(all);
  add_g(all);
  add_h(all);
}

}  // namespace shardproof
