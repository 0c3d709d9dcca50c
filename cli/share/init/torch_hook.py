"""A DistributedDataParallel communication hook under test, one process a rank:

    shardproof check -- torchrun --nproc_per_node 4 THIS_FILE
    shardproof check -- python3 shardproof.py --ranks 4 THIS_FILE     (the same without torchrun)
"""
import torch
import torch.distributed as dist

import shardproof

# FILL IN: what your hook promises. world must be what torchrun is told.
CLAIM = "preset=ddp,world=4,dtype=f32"


def hook(group, bucket):
    """FILL IN: your hook, as DistributedDataParallel.register_comm_hook takes it."""
    flat = bucket.buffer() / dist.get_world_size(group)
    work = dist.all_reduce(flat, group=group, async_op=True)
    return work.get_future().then(lambda done: done.value()[0])


class Bucket:
    """What a hook asks of torch.distributed.GradBucket."""

    def __init__(self, flat, shapes):
        self._flat, self._shapes = flat, shapes

    def index(self):
        return 0

    def is_last(self):
        return True

    def buffer(self):
        return self._flat

    def set_buffer(self, flat):
        self._flat = flat

    def gradients(self):
        return leaves_of(self._flat, self._shapes)


def leaves_of(flat, shapes):
    sizes = [torch.Size(shape).numel() for shape in shapes.values()]
    return [part.view(shape) for part, shape in zip(flat.split(sizes), shapes.values())]


def own_mean(batches, name):
    """The mean over all rows of this rank, as a loop that accumulates micro-batches leaves it."""
    total = sum(batch.valid for batch in batches)
    return sum(torch.tensor(batch.gradient[name]) * (batch.valid / total) for batch in batches)


def reduce(step):
    batches = step.ranks[0].micro_batches
    flat = torch.cat([own_mean(batches, name).flatten() for name in step.shapes])
    reduced = hook(None, Bucket(flat, step.shapes)).wait()
    return leaves_of(reduced, step.shapes)


dist.init_process_group("gloo")
shardproof.serve_rank(dist.get_rank(), dist.get_world_size(), reduce, claim=CLAIM)
dist.destroy_process_group()
