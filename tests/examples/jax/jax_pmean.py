"""The gradient check of sixteen logical CPU devices, under shardproof:

    shardproof check --warmup 3 -- python3 jax_pmean.py REDUCTION [FORM]

REDUCTION  pmean   the mean of the devices' mean gradients: right where all have as many rows
           psum    their sum: right only where a sum is asked for
           masked  the sum of masked sums over the sum of masks: right whatever the counts
FORM       pmap (the usual) or shard_map
"""
import os
import sys

DEVICES = 16
ROWS = 3  # of a device; what is missing is padded with rows that the mask leaves out
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={DEVICES}"

import jax
import jax.numpy as jnp
import numpy
from jax.experimental.shard_map import shard_map
from jax.sharding import Mesh, PartitionSpec

import shardproof

REDUCTION = sys.argv[1]
FORM = sys.argv[2] if len(sys.argv) > 2 else "pmap"
SHAPES = f"world={DEVICES},dtype=f32,micro-batches=1,features=2,outputs=1,layers=1,bias=no,absent=no,steps=1..2"
CLAIMS = {
    "pmean": f"preset=jax-cpu,conditions=equal,rows={ROWS},{SHAPES}",
    "psum": f"preset=jax-cpu,conditions=equal,rows={ROWS},{SHAPES}",
    "masked": f"preset=jax-cpu,target=weighted-mean,conditions=equal+unequal+padded+empty,rows=0..{ROWS},{SHAPES}",
}


def squares(w, x, y, mask):
    return jnp.sum(jnp.where(mask[:, None], (x @ w - y) ** 2, 0.0))


def local_mean(w, x, y, mask):
    return squares(w, x, y, mask) / jnp.maximum(jnp.sum(mask), 1)


def reduced(w, x, y, mask):
    """Loss and gradient of the whole batch, as one device computes them from its own rows."""
    if REDUCTION == "masked":
        loss, gradient = jax.value_and_grad(squares)(w, x, y, mask)
        rows = jnp.maximum(jax.lax.psum(jnp.sum(mask), "data"), 1)
        return jax.lax.psum(loss, "data") / rows, jax.lax.psum(gradient, "data") / rows
    loss, gradient = jax.value_and_grad(local_mean)(w, x, y, mask)
    reduce = jax.lax.pmean if REDUCTION == "pmean" else jax.lax.psum
    return reduce(loss, "data"), reduce(gradient, "data")


def on_shard(w, x, y, mask):
    loss, gradient = reduced(w, x[0], y[0], mask[0])
    return loss[None], gradient[None]


if FORM == "pmap":
    distributed = jax.pmap(reduced, axis_name="data", in_axes=(None, 0, 0, 0))
else:
    mesh = Mesh(numpy.array(jax.devices()), ("data",))
    rows_of = PartitionSpec("data")
    distributed = jax.jit(shard_map(on_shard, mesh=mesh, in_specs=(PartitionSpec(), rows_of, rows_of, rows_of),
                                    out_specs=(rows_of, rows_of)))


def padded(rows, width):
    out = numpy.zeros((ROWS, width), "f4")
    out[:len(rows)] = rows
    return out


def train_step(step):
    """Rows of all devices in; what every device holds out."""
    batches = [rank.micro_batches[0] for rank in step.ranks]
    x = numpy.stack([padded(batch.x, 2) for batch in batches])
    y = numpy.stack([padded(batch.y, 1) for batch in batches])
    mask = numpy.stack([padded(batch.mask[:, None], 1)[:, 0] != 0 for batch in batches])
    w = step.ranks[0].parameters["kernel"]
    loss, gradient = (numpy.asarray(part) for part in distributed(w, x, y, mask))
    rate = numpy.float32(step.learning_rate)
    return [{"loss": loss[r], "gradient": {"kernel": gradient[r]},
             "parameters": {"kernel": w - rate * gradient[r]}} for r in range(step.world)]


shardproof.serve(train_step, kind="train_step", claim=CLAIMS[REDUCTION])
