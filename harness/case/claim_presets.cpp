#include "shardproof/case/claim_presets.h"

#include <algorithm>
#include <array>

namespace shardproof {
namespace {

// Roundings of a term before the last one (NUMERICS 1.4). Each preset leaves two to a caller who
// averages micro-batches by a product with a rounded 1/K; the rest is the library's own.
constexpr std::array kPresets{
    ClaimPreset{"nccl-avg",
                "ncclAvg: each term times the rounded 1/P, then a sum rounded at every hop",
                "target=weighted-mean,input=local-mean,conditions=equal,accumulate=case,"
                "roundings=4,levels=1,summation=tree,accumulation=summed,rounding=nearest,flush=no",
                "NCCL src/enqueue.cc hostToDevRedOp (PreMulSum), reduce_kernel.h"},
    ClaimPreset{"gloo", "Gloo's average: a sum, then one division by P (or times 1/P)",
                "target=weighted-mean,input=local-mean,conditions=equal,accumulate=case,"
                "roundings=3,levels=1,summation=tree,accumulation=summed,rounding=nearest,flush=no",
                "PyTorch's Gloo process group: AVG is SUM, then div_"},
    ClaimPreset{
        "ddp", "DistributedDataParallel: the mean over ranks of each rank's own mean",
        "target=mean-over-ranks,input=local-mean,conditions=equal+unequal+padded,accumulate=case,"
        "roundings=any,levels=1,summation=any,accumulation=summed,rounding=nearest,flush=no",
        "PyTorch DDP and its communication hooks: divided before or after, by version"},
    ClaimPreset{
        "fsdp2", "FSDP2 and HSDP: mean over ranks, averaged on two levels, factors on both sides",
        "target=mean-over-ranks,input=local-mean,conditions=equal+unequal+padded,accumulate=case,"
        "roundings=any,levels=2,summation=any,accumulation=summed,rounding=nearest,flush=no",
        "PyTorch pull requests 120919, 123362 (AVG) and 129286 (PreMulSum)"},
    ClaimPreset{
        "jax-cpu", "jax.lax.pmean on CPU devices: any order, subnormals flushed or not",
        "target=weighted-mean,input=local-mean,conditions=equal,accumulate=case,"
        "roundings=any,levels=1,summation=any,accumulation=summed,rounding=nearest,flush=either",
        "XLA on CPU flushes subnormal values by design"}};

}  // namespace

std::span<const ClaimPreset> claim_presets() { return kPresets; }

std::optional<ClaimPreset> find_claim_preset(std::string_view name) {
  const auto found = std::ranges::find(kPresets, name, &ClaimPreset::name);
  if (found == kPresets.end()) return std::nullopt;
  return *found;
}

}  // namespace shardproof
