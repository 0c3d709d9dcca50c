"""A training step with DistributedDataParallel under test, one process a rank:

    shardproof check -- torchrun --nproc-per-node 4 THIS_FILE
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
        self.leaves = torch.nn.ParameterDict(
            {name.replace("/", "_"): torch.nn.Parameter(torch.tensor(values))
             for name, values in parameters.items()})

    def forward(self, x, absent):
        parts = []
        kernels = [name for name in self.leaves if name.endswith("kernel")]
        for layer, name in enumerate(kernels):
            kernel, bias = self.leaves[name], name[:-len("kernel")] + "bias"
            part = x @ kernel + (self.leaves[bias] if bias in self.leaves else 0)
            # What an unused layer would give is known; nothing flows back into it.
            parts.append(part * 0 if absent[layer] else part)
        return torch.cat(parts, dim=1)


def squared_error(model, batch, own_count):
    """This micro-batch's share of the mean over all valid rows of this rank."""
    rows = torch.tensor(batch.mask)
    x, y = torch.tensor(batch.x)[rows], torch.tensor(batch.y)[rows]
    used = torch.cat([torch.full((n,), 0.0 if gone else 1.0)
                      for n, gone in zip(outputs_of(model), batch.absent)])
    error = (model(x, batch.absent) - y) * used
    return error.square().sum() / (own_count * y.shape[1])


def outputs_of(model):
    return [leaf.shape[1] for name, leaf in model.module.leaves.items() if name.endswith("kernel")]


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
    gradient = [leaf.grad.clone() for leaf in model.module.leaves.values()]
    optimizer.step()
    return {"loss": loss / step.world, "gradient": gradient,
            "parameters": list(model.module.leaves.values())}


dist.init_process_group("gloo")
shardproof.serve_rank(dist.get_rank(), dist.get_world_size(), train_step, kind="train_step",
                      claim=CLAIM)
dist.destroy_process_group()
