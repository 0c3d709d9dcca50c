#include "subject/catalogue/reported.h"

namespace shardproof {
namespace {

using Elements = Trigger::Elements;
using Lengths = Trigger::Lengths;
using Worlds = Trigger::Worlds;
using Arrival = Trigger::Arrival;

void add_i(std::vector<ReportedFault>& all) {
  all.push_back(planted(
      {"I01", FaultFamily::alias, 2026, "https://github.com/deepspeedai/DeepSpeed/pull/7805",
       "Backward writes into the double buffer that is being reduced."},
      "next-leaf", {.what = known("next-leaf"), .base = {}}));
  all.push_back(planted(
      {"I02", FaultFamily::stale, 2020, "https://github.com/pytorch/pytorch/issues/37790",
       "A result is used before it was copied back."},
      "own-mean",
      {.what =
           known("own-mean", {.elements = Elements::gradient, .arrival = Arrival::before_rank_0}),
       .base = {},
       .min_world = 2}));
  all.push_back(
      planted({"I04", FaultFamily::alias, 2021, "https://github.com/open-mpi/ompi/issues/9385",
               "A ring in place loses an own contribution from 4 ranks on."},
              "last-rank-missing",
              {.what = known("last-rank-missing", {.worlds = Worlds::at_least, .world = 4}),
               .base = {},
               .min_world = 2}));
  all.push_back(planted(
      {"I05", FaultFamily::alias, 2017, "https://github.com/open-mpi/ompi/pull/2824",
       "In place, what is received destroys the own term before it is added."},
      "rank-0-overwritten",
      {.what = known(
           "rank-0-overwritten",
           {.worlds = Worlds::at_most, .world = 4, .lengths = Lengths::at_least, .length = 4}),
       .base = {}}));
  all.push_back(
      planted({"I06", FaultFamily::stale, 2024, "https://github.com/vllm-project/vllm/pull/2760",
               "A flag is seen before the data that it announces."},
              "previous-contribution-of-last-rank",
              {.what = known("previous-contribution-of-last-rank"), .base = {}}));
  all.push_back(
      planted({"I08", FaultFamily::stale, 2020, "https://github.com/pytorch/pytorch/pull/43307",
               "From the third step on a view holds old data."},
              "previous-contributions",
              {.what = known("previous-contributions", {.from_step = 2}), .base = {}}));
  all.push_back(
      planted({"I10", FaultFamily::alias, 2021, "https://github.com/aryafallahi/mithra/issues/60",
               "The same buffer is handed to send and receive, and the own term counts twice."},
              "own-twice", {.what = known("own-twice"), .base = {}}));
  all.push_back(
      order_only({"I11", FaultFamily::order_only, 2018, "https://github.com/NVIDIA/nccl/issues/157",
                  "Leaves reduced fused or apart are added in unlike orders."},
                 "", {.what = ChangingOrder{}, .base = {}, .min_world = 2}));
}

void add_j(std::vector<ReportedFault>& all) {
  all.push_back(
      planted({"J02", FaultFamily::mix_leaves, 2023, "https://github.com/horovod/horovod/pull/3813",
               "A grouped call puts values of one leaf at the indices of another."},
              "shifted-in-leaf",
              {.what = known("shifted-in-leaf", {.elements = Elements::first_leaf}), .base = {}}));
  all.push_back(planted(
      {"J03", FaultFamily::mix_leaves, 2019, "https://github.com/chainer/chainer/issues/6759",
       "Leaves without a gradient are left out when packing."},
      "packed-without-absent", {.what = known("packed-without-absent"), .base = {}}));
  all.push_back(planted(
      {"J04", FaultFamily::mix_leaves, 2026, "https://github.com/NVIDIA/Megatron-LM/pull/6500",
       "Two ranks hold the same slice at unlike offsets of their buffers."},
      "shifted-on-last-rank", {.what = known("shifted-on-last-rank"), .base = {}}));
  all.push_back(planted(
      {"J05", FaultFamily::path, 2018, "https://github.com/horovod/horovod/pull/358",
       "Only the path of leaves that are not fused returns its input."},
      "own-share",
      {.what = known("own-share",
                     {.elements = Elements::gradient, .lengths = Lengths::at_least, .length = 6}),
       .base = {}}));
}

void add_k(std::vector<ReportedFault>& all) {
  all.push_back(planted(
      {"K01", FaultFamily::stale, 2026, "https://github.com/deepspeedai/DeepSpeed/pull/8588",
       "The loss scale grows before gradients are unscaled with it."},
      "half", {.what = known("half", {.from_step = 1, .to_step = 1}), .base = {}}));
  all.push_back(planted({"K02", FaultFamily::after_reduction, 2024,
                         "https://github.com/NVIDIA/Megatron-LM/issues/1012",
                         "A deferred contribution is computed after the reduction was started."},
                        "last-micro-batch-unreduced",
                        {.what = known("last-micro-batch-unreduced"), .base = {}, .min_world = 2}));
  all.push_back(
      planted({"K04", FaultFamily::stale, 2016, "https://github.com/tensorflow/models/issues/562",
               "A slow shard contributes a gradient of an older step."},
              "previous-contribution-of-last-rank",
              {.what = known("previous-contribution-of-last-rank"), .base = on(Topology::tree)}));
  all.push_back(planted(
      {"K06", FaultFamily::non_commuting, 2024, "https://github.com/karpathy/llm.c/pull/524",
       "The norm is taken over a buffer of which only the own part is reduced."},
      "", {.what = Fault{Special::own_norm, {}}, .base = {}, .min_world = 2}));
}

void add_l(std::vector<ReportedFault>& all) {
  all.push_back(planted(
      {"L01", FaultFamily::empty_shard, 2026, "https://github.com/allenai/OLMo-core/pull/657",
       "A rank without valid rows divides 0 by 0, and the sum spreads it."},
      "nan-from-empty", {.what = known("nan-from-empty"), .base = {}}));
  all.push_back(
      planted({"L02", FaultFamily::empty_shard, 2020,
               "https://github.com/tensorflow/tensorflow/issues/41657",
               "A last batch does not fill all replicas, and an empty one makes no number."},
              "nan-from-empty", {.what = known("nan-from-empty"), .base = on(Topology::tree)}));
  all.push_back(planted(
      {"L05", FaultFamily::empty_shard, 2025, "https://github.com/NVIDIA-NeMo/RL/issues/230",
       "Micro-batches without a valid row return 0 and are averaged in."},
      "empty-micro-batches-counted",
      {.what = known("empty-micro-batches-counted"), .base = on(Topology::ring)}));
  all.push_back(planted(
      {"L06", FaultFamily::empty_shard, 2025, "https://github.com/pytorch/pytorch/issues/162692",
       "One row over two ranks: the mean of the empty rank is no number."},
      "nan-from-empty", {.what = known("nan-from-empty"), .base = on(Topology::ring)}));
  all.push_back(planted({"L07", FaultFamily::nan_rule, 2020,
                         "https://github.com/facebookresearch/fairseq/issues/1726",
                         "An empty shard on the first step multiplies what is not there by zero."},
                        "nan-from-empty",
                        {.what = known("nan-from-empty", {.to_step = 0}), .base = {}}));
  all.push_back(left_out({"L08", FaultFamily::empty_shard, 2019,
                          "https://github.com/helmholtz-analytics/heat/issues/369",
                          "A maximum over an empty shard has no identity."},
                         "no reducer of gradients returns a maximum"));
}

void add_m(std::vector<ReportedFault>& all) {
  all.push_back(
      left_out({"M01", FaultFamily::nan_rule, 2026, "https://github.com/ml-explore/mlx/issues/4072",
                "A minimum by comparison loses a NaN, depending on who holds it."},
               "no reducer of gradients returns a minimum"));
  all.push_back(planted(
      {"M02", FaultFamily::nan_rule, 2026, "https://github.com/huggingface/transformers/pull/48205",
       "Rows beyond the valid ones are masked by multiplication with zero."},
      "", {.what = TrainFault::mask_by_multiplication}));
}

void add_n(std::vector<ReportedFault>& all) {
  all.push_back(
      planted({"N02", FaultFamily::lossy_wire, 2020, "https://github.com/sands-lab/grace/issues/14",
               "Codes of all ranks are added up and scaled by one rank alone."},
              "first-scale", {.what = known("first-scale"), .base = {}}));
  all.push_back(planted(
      {"N03", FaultFamily::lossy_wire, 2026, "https://github.com/baidu-baige/LoongForge/pull/231",
       "Small leaves share a block scale with large neighbours and are lost."},
      "small-lost", {.what = known("small-lost"), .base = {}}));
  all.push_back(planted(
      {"N04", FaultFamily::stale, 2021, "https://github.com/pytorch/pytorch/pull/51427",
       "Buckets are rebuilt after the first step, and what was kept for one leaf reaches another."},
      "leaves-swapped", {.what = known("leaves-swapped", {.from_step = 1}), .base = {}}));
}

void add_o(std::vector<ReportedFault>& all) {
  all.push_back(
      planted({"O01", FaultFamily::no_reduction, 2020, "https://github.com/jax-ml/jax/issues/3970",
               "The gradient of a sum over devices is P times the own gradient."},
              "own-share-times-ranks",
              {.what = known("own-share-times-ranks", {.elements = Elements::gradient}),
               .base = {},
               .min_world = 2}));
  all.push_back(planted(
      {"O02", FaultFamily::global_scale, 2021, "https://github.com/horovod/horovod/issues/2654",
       "The gradient of gather and broadcast sums where it should average."},
      "times-ranks", {.what = known("times-ranks"), .base = on(Topology::ring), .min_world = 2}));
  all.push_back(planted({"O03", FaultFamily::no_reduction, 2025,
                         "https://github.com/microsoft/ltp-megatron-lm/pull/68",
                         "A reduction that works on a copy is called and its result dropped."},
                        "own-share",
                        {.what = known("own-share", {.elements = Elements::gradient}),
                         .base = on(Topology::tree),
                         .min_world = 2}));
  all.push_back(planted({"O05", FaultFamily::no_reduction, 2026,
                         "https://github.com/flatironinstitute/jax-finufft/issues/226",
                         "The gradient of a custom operation stays the part of the own shard."},
                        "own-share",
                        {.what = known("own-share", {.elements = Elements::gradient}),
                         .base = on(Topology::ring),
                         .min_world = 2}));
}

void add_p(std::vector<ReportedFault>& all) {
  all.push_back(
      left_out({"P01", FaultFamily::path, 2024, "https://github.com/pmodels/mpich/pull/7211",
                "A power below the number of ranks is computed in floating point."},
               "its report gives no formula for the wrong values"));
  all.push_back(
      planted({"P03", FaultFamily::drop, 2026, "https://github.com/ROCm/rocm-systems/pull/3213",
               "A ring leaves the elements past its last full chunk alone."},
              "own-share",
              {.what = known("own-share", {.elements = Elements::tail}),
               .base = on(Topology::ring),
               .min_world = 2}));
  all.push_back(
      left_out({"P05", FaultFamily::duplicate, 2021, "https://github.com/pytorch/gloo/issues/303",
                "One pointer per element is read as many buffers."},
               "its report gives no formula for the wrong values"));
  all.push_back(
      left_out({"P06", FaultFamily::path, 2022, "https://github.com/Xilinx/ACCL/issues/58",
                "A group of one takes a path of its own."},
               "its report gives no formula for the wrong values"));
  all.push_back(
      left_out({"P07", FaultFamily::drop, 2020, "https://github.com/open-mpi/ompi/pull/7523",
                "Recursive doubling receives too little when P is no power of two."},
               "its report gives no formula for the wrong values"));
  all.push_back(left_out(
      {"P08", FaultFamily::drop, 2025, "https://github.com/tenstorrent/tt-metal/issues/25212",
       "Tile padding takes part when a dimension is no multiple of 32."},
      "its report gives no formula for the wrong values"));
}

}  // namespace

void add_reported_i_p(std::vector<ReportedFault>& all) {
  add_i(all);
  add_j(all);
  add_k(all);
  add_l(all);
  add_m(all);
  add_n(all);
  add_o(all);
  add_p(all);
}

}  // namespace shardproof
