#include "subject/catalogue/reported.h"

namespace shardproof {
namespace {

using Elements = Trigger::Elements;
using Lengths = Trigger::Lengths;

void add_a(std::vector<ReportedFault>& all) {
  all.push_back(planted(
      {"A01", FaultFamily::weights, 2024,
       "https://github.com/huggingface/transformers/issues/34242",
       "Every rank divides by its own valid tokens, and the ranks are then averaged alike."},
      "mean-of-rank-means", {.what = known("mean-of-rank-means"), .base = {}}));
  all.push_back(planted(
      {"A03", FaultFamily::weights, 2019, "https://github.com/pytorch/pytorch/issues/31579",
       "An ignored class leaves ranks with few valid pixels, which weigh as much as full ones."},
      "mean-of-rank-means", {.what = known("mean-of-rank-means"), .base = on(Topology::tree)}));
  all.push_back(planted(
      {"A04", FaultFamily::weights, 2026, "https://github.com/pytorch/torchtitan/pull/2206",
       "The loss is normalised within each rank and micro-batch instead of once for the step."},
      "mean-of-micro-batch-means", {.what = known("mean-of-micro-batch-means"), .base = {}}));
  all.push_back(planted(
      {"A05", FaultFamily::weights, 2021, "https://github.com/facebookresearch/fairchem/pull/269",
       "Replicas that hold unlike numbers of atoms are averaged alike."},
      "mean-of-rank-means",
      {.what = known("mean-of-rank-means"), .base = on(Topology::hierarchical)}));
  all.push_back(planted(
      {"A06", FaultFamily::weights, 2019, "https://github.com/FederatedAI/FATE/issues/93",
       "A federated gradient is the plain average of the averages of its partitions."},
      "mean-of-rank-means", {.what = known("mean-of-rank-means"), .base = on(Topology::ring)}));
  all.push_back(
      planted({"A09", FaultFamily::denominator, 2026,
               "https://github.com/PrimeIntellect-ai/prime-rl/pull/2359",
               "Replicas of a second axis hold the same rows, and each of them adds to the count."},
              "half", {.what = known("half"), .base = {}}));
  all.push_back(planted(
      {"A11", FaultFamily::weights, 2024, "https://github.com/NVIDIA-NeMo/Speech/issues/8343",
       "A mean within each micro-batch makes the result depend on how rows are packed."},
      "mean-of-micro-batch-means",
      {.what = known("mean-of-micro-batch-means"), .base = on(Topology::halving_doubling)}));
  all.push_back(planted(
      {"A12", FaultFamily::denominator, 2025, "https://github.com/ServiceNow/Fast-LLM/pull/426",
       "Cross-entropy is divided by all positions, masked ones included."},
      "padding-counted", {.what = known("padding-counted"), .base = {}}));
  all.push_back(planted({"A13", FaultFamily::denominator, 2020,
                         "https://github.com/huggingface/transformers/pull/6998",
                         "A last, smaller batch is divided by the configured batch size."},
                        "configured-batch", {.what = known("configured-batch"), .base = {}}));
  all.push_back(planted(
      {"A14", FaultFamily::denominator, 2022, "https://github.com/meta-pytorch/opacus/issues/420",
       "The divisor is the expected batch size while the sampled one changes."},
      "expected-batch-16", {.what = known("expected-batch-16"), .base = {}}));
  all.push_back(planted(
      {"A15", FaultFamily::leaf_scale, 2021, "https://github.com/facebookresearch/detr/issues/354",
       "One term of the loss is normalised on each device, another by the global count."},
      "mean-of-rank-means",
      {.what = known("mean-of-rank-means", {.elements = Elements::first_leaf}), .base = {}}));
  all.push_back(planted(
      {"A16", FaultFamily::weights, 2022, "https://github.com/google/flax/issues/2417",
       "Statistics over devices are the mean of their means; planted on the gradient."},
      "mean-of-rank-means", {.what = known("mean-of-rank-means"), .base = on(Topology::tree)}));
  all.push_back(planted(
      {"A17", FaultFamily::denominator, 2026, "https://github.com/huggingface/trl/pull/6024",
       "The count comes from a window of more micro-steps than the sum."},
      "count-never-reset", {.what = known("count-never-reset"), .base = {}}));
}

void add_b(std::vector<ReportedFault>& all) {
  all.push_back(planted(
      {"B01", FaultFamily::global_scale, 2025, "https://github.com/pytorch/pytorch/issues/162338",
       "A reduce-scatter that is told to average sums."},
      "times-ranks", {.what = known("times-ranks"), .base = {}, .min_world = 2}));
  all.push_back(planted(
      {"B04", FaultFamily::global_scale, 2026, "https://github.com/pytorch/torchtitan/issues/2318",
       "Averaging stays on in one wrapper after the loss came to divide by all tokens."},
      "divided-by-ranks-twice",
      {.what = known("divided-by-ranks-twice"), .base = on(Topology::ring), .min_world = 2}));
  all.push_back(
      planted({"B05", FaultFamily::global_scale, 2024,
               "https://github.com/meta-pytorch/torchtune/pull/2172",
               "The total count divides what the wrapper has divided by the ranks already."},
              "divided-by-ranks-twice",
              {.what = known("divided-by-ranks-twice"), .base = {}, .min_world = 2}));
  all.push_back(
      planted({"B06", FaultFamily::term_scale, 2026,
               "https://github.com/huggingface/transformers/pull/48706",
               "A compensating factor P reaches a term of the loss that needs none."},
              "last-micro-batch-times-ranks",
              {.what = known("last-micro-batch-times-ranks"), .base = {}, .min_world = 2}));
  all.push_back(planted(
      {"B07", FaultFamily::global_scale, 2025,
       "https://github.com/huggingface/transformers/issues/37474",
       "Losses divided by the count of all devices are averaged over the devices."},
      "divided-by-ranks-twice",
      {.what = known("divided-by-ranks-twice"), .base = on(Topology::tree), .min_world = 2}));
  all.push_back(
      planted({"B08", FaultFamily::leaf_scale, 2020, "https://github.com/horovod/horovod/pull/2279",
               "The sparse path of an average only sums."},
              "times-ranks",
              {.what = known("times-ranks", {.elements = Elements::last_leaf}),
               .base = {},
               .min_world = 2}));
  all.push_back(planted(
      {"B09", FaultFamily::leaf_scale, 2026, "https://github.com/meta-pytorch/torchcomms/pull/287",
       "An average divides by the number of elements of the tensor instead of ranks."},
      "leaf-length-for-ranks", {.what = known("leaf-length-for-ranks"), .base = {}}));
  all.push_back(planted(
      {"B11", FaultFamily::path, 2026, "https://github.com/intel/torch-xpu-ops/issues/3020",
       "An average divides twice for some small sizes."},
      "divided-by-ranks-twice",
      {.what = known("divided-by-ranks-twice", {.lengths = Lengths::no_multiple_of, .length = 8}),
       .base = {},
       .min_world = 2}));
  all.push_back(planted(
      {"B12", FaultFamily::global_scale, 2020, "https://github.com/pytorch/pytorch/issues/36516",
       "The divisor is the number of processes although each drives several replicas."},
      "twice", {.what = known("twice"), .base = {}}));
  all.push_back(planted(
      {"B14", FaultFamily::global_scale, 2025, "https://github.com/lightonai/pylate/pull/156",
       "The loss is multiplied by P although features are not gathered."},
      "times-ranks",
      {.what = known("times-ranks"), .base = on(Topology::hierarchical), .min_world = 2}));
  all.push_back(planted(
      {"B15", FaultFamily::duplicate, 2021, "https://github.com/PaddlePaddle/Paddle/pull/30807",
       "Gradients that were reduced already are reduced again after every micro-step."},
      "earlier-micro-batches-times-ranks",
      {.what = known("earlier-micro-batches-times-ranks"), .base = {}, .min_world = 2}));
  all.push_back(planted(
      {"B16", FaultFamily::global_scale, 2017, "https://github.com/apache/mxnet/issues/6007",
       "Each device divides by the total batch, and weights are averaged later."},
      "divided-by-ranks-twice",
      {.what = known("divided-by-ranks-twice"),
       .base = on(Topology::halving_doubling),
       .min_world = 2}));
  all.push_back(planted(
      {"B18", FaultFamily::no_reduction, 2025, "https://github.com/tracel-ai/burn/pull/3581",
       "Without accumulation the gradients are not synchronised at all."},
      "own-share",
      {.what = known("own-share", {.elements = Elements::gradient}), .base = {}, .min_world = 2}));
  all.push_back(planted(
      {"B20", FaultFamily::global_scale, 2024,
       "https://github.com/Dao-AILab/flash-attention/issues/1244",
       "The gradient of an all-reduce is reduced once more in one of two libraries."},
      "times-ranks",
      {.what = known("times-ranks"), .base = on(Topology::halving_doubling), .min_world = 2}));
}

}  // namespace

void add_reported_a_b(std::vector<ReportedFault>& all) {
  add_a(all);
  add_b(all);
}

}  // namespace shardproof
