"""A training step with DistributedDataParallel under test, one process a rank:

    shardproof check -- torchrun --nproc_per_node 4 THIS_FILE
    shardproof check -- python3 shardproof.py --ranks 4 THIS_FILE     (the same without torchrun)
"""
import contextlib

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

import shardproof

# FILL IN: what your step promises. world must be what torchrun is told.
CLAIM = "preset=ddp,world=4,dtype=f32"


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


def squared_error(model, batch, own_count):
    """This micro-batch's share of the mean over all valid rows of this rank."""
    rows = torch.tensor(batch.mask)
    x, y = torch.tensor(batch.x)[rows], torch.tensor(batch.y)[rows]
    leaves = model.module.leaves
    # Nothing flows back into a layer that these rows do not use.
    used = torch.cat([torch.full((leaves[name].shape[1],), 0.0 if gone else 1.0)
                      for name, gone in zip(model.module.kernels(), batch.absent)])
    return ((model(x) - y) * used).square().sum() / (own_count * y.shape[1])


def train_step(step):
    """FILL IN: your step in place of this one. It gets the rows of one rank, padding included, and
    the parameters; it returns the loss before the update, the gradient that was used and the
    parameters after it."""
    mine = step.ranks[0]
    model = DistributedDataParallel(Linear(mine.parameters))
    optimizer = torch.optim.SGD(model.parameters(), lr=step.learning_rate)
    own_count = sum(int(batch.mask.sum()) for batch in mine.micro_batches)
    loss = torch.zeros(())
    for batch in mine.micro_batches:
        last = batch is mine.micro_batches[-1]
        with contextlib.nullcontext() if last else model.no_sync():
            part = squared_error(model, batch, own_count)
            part.backward()
            loss += part.detach()
    dist.all_reduce(loss)
    leaves = model.module.leaves
    gradient = {name: leaf.grad.clone() for name, leaf in leaves.items()}
    optimizer.step()
    return {"loss": loss / step.world, "gradient": gradient, "parameters": leaves}


dist.init_process_group("gloo")
shardproof.serve_rank(dist.get_rank(), dist.get_world_size(), train_step, kind="train_step",
                      claim=CLAIM)
dist.destroy_process_group()
