"""DistributedDataParallel over Gloo as a training step, one process a rank:

    shardproof check -- python3 shardproof.py --ranks 4 torch_ddp.py VARIANT

VARIANT  mean           as DistributedDataParallel does it: the mean over ranks of their own means
         weighted       every rank's loss weighted by its share of the rows: right whatever the counts
         summed-means   micro-batches accumulated in no_sync without weighing them
         never-synced   the last micro-batch in no_sync as well
         fp16-hook      mean, with gradients compressed to f16 on their way
         bf16-hook      the same in bf16, where the backend has it
"""
import contextlib
import sys

import torch
import torch.distributed as dist
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks
from torch.nn.parallel import DistributedDataParallel

import shardproof

VARIANT = sys.argv[1]
CLAIMS = {
    "weighted": "preset=ddp,target=weighted-mean,world=4,dtype=f32",
    "fp16-hook": "preset=ddp,world=4,dtype=f32,wire=f16,accumulate=f16",
    "bf16-hook": "preset=ddp,world=4,dtype=f32,wire=bf16,accumulate=bf16",
}
HOOKS = {"fp16-hook": default_hooks.fp16_compress_hook, "bf16-hook": default_hooks.bf16_compress_hook}


class Linear(torch.nn.Module):
    """The layers of a case, side by side: y = x @ kernel + bias."""

    def __init__(self, parameters):
        super().__init__()
        self.leaves = {}
        for name, values in parameters.items():
            self.leaves[name] = torch.nn.Parameter(torch.tensor(values))
            self.register_parameter(name.replace("/", "_"), self.leaves[name])

    def kernels(self):
        return [name for name in self.leaves if name.endswith("kernel")]

    def forward(self, x):
        parts = []
        for name in self.kernels():
            bias = self.leaves.get(name[:-len("kernel")] + "bias")
            part = x @ self.leaves[name]
            parts.append(part if bias is None else part + bias)
        return torch.cat(parts, dim=1)


def squared_error(model, batch, divisor):
    """This micro-batch's share of a mean over so many rows."""
    rows = torch.tensor(batch.mask)
    x, y = torch.tensor(batch.x)[rows], torch.tensor(batch.y)[rows]
    leaves = model.module.leaves
    # Nothing flows back into a layer that these rows do not use.
    used = torch.cat([torch.full((leaves[name].shape[1],), 0.0 if gone else 1.0)
                      for name, gone in zip(model.module.kernels(), batch.absent)])
    return ((model(x) - y) * used).square().sum() / (divisor * y.shape[1])


def divisor_of(step, batch):
    """By how many rows the squares of a micro-batch are divided, before ranks are averaged."""
    own = sum(int(each.mask.sum()) for each in step.ranks[0].micro_batches)
    if VARIANT == "weighted":
        total = torch.tensor(float(own))
        dist.all_reduce(total)
        return max(float(total), 1) / step.world
    if VARIANT == "summed-means":
        return max(int(batch.mask.sum()), 1)
    return max(own, 1)


def train_step(step):
    mine = step.ranks[0]
    model = DistributedDataParallel(Linear(mine.parameters))
    if VARIANT in HOOKS:
        model.register_comm_hook(dist.group.WORLD, HOOKS[VARIANT])
    optimizer = torch.optim.SGD(model.parameters(), lr=step.learning_rate)
    loss = torch.zeros(())
    for batch in mine.micro_batches:
        synced = batch is mine.micro_batches[-1] and VARIANT != "never-synced"
        with contextlib.nullcontext() if synced else model.no_sync():
            part = squared_error(model, batch, divisor_of(step, batch))
            part.backward()
            loss += part.detach()
    dist.all_reduce(loss)
    leaves = model.module.leaves
    gradient = {name: leaf.grad.clone() for name, leaf in leaves.items()}
    optimizer.step()
    return {"loss": loss / step.world, "gradient": gradient, "parameters": leaves}


dist.init_process_group("gloo")
shardproof.serve_rank(dist.get_rank(), dist.get_world_size(), train_step, kind="train_step",
                      claim=CLAIMS.get(VARIANT, "preset=ddp,world=4,dtype=f32"))
dist.destroy_process_group()
