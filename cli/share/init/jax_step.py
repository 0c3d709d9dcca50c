"""A training step over all devices of one process under test:

    shardproof check --warmup 10 -- python3 THIS_FILE
"""
import functools
import os

DEVICES = 4  # FILL IN: over how many logical CPU devices; a real machine has its own
os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={DEVICES}"

import jax
import jax.numpy as jnp
import numpy

import shardproof

# FILL IN: what your step promises. Every new shape is compiled, so the claim lists few of them.
CLAIM = (f"preset=jax-cpu,world={DEVICES},dtype=f32,"
         "rows=4,micro-batches=1..2,features=2,outputs=2,layers=1")


def loss_of(parameters, x, y, used):
    """The mean over rows and outputs; layers stand side by side."""
    parts = [x @ parameters[name] + parameters.get(name[:-len("kernel")] + "bias", 0)
             for name in parameters if name.endswith("kernel")]
    return jnp.mean(((jnp.concatenate(parts, axis=1) - y) * used) ** 2)


@functools.partial(jax.pmap, axis_name="data", in_axes=(None, 0, 0, 0, None))
def step_on_device(parameters, x, y, used, learning_rate):
    """FILL IN: your step in place of this one, on the rows of one device."""
    losses, gradients = [], []
    for k in range(x.shape[0]):  # micro-batches of equal size
        loss, gradient = jax.value_and_grad(loss_of)(parameters, x[k], y[k], used[k])
        losses.append(loss)
        gradients.append(gradient)
    mean = lambda *terms: jax.lax.pmean(sum(terms) / len(terms), "data")
    gradient = jax.tree_util.tree_map(mean, *gradients)
    updated = jax.tree_util.tree_map(lambda p, g: p - learning_rate * g, parameters, gradient)
    return mean(*losses), gradient, updated


def used_outputs(step, batch):
    columns = [shape[1] for name, shape in step.shapes.items() if name.endswith("kernel")]
    return numpy.repeat([0.0 if gone else 1.0 for gone in batch.absent], columns).astype("f4")


def train_step(step):
    """Rows of all ranks in, results of all ranks out: every device's own is returned."""
    stacked = lambda field: numpy.stack(
        [numpy.stack([field(batch) for batch in rank.micro_batches]) for rank in step.ranks])
    loss, gradient, updated = step_on_device(
        step.ranks[0].parameters, stacked(lambda b: b.x), stacked(lambda b: b.y),
        stacked(lambda b: used_outputs(step, b)), numpy.float32(step.learning_rate))
    pick = lambda tree, device: {name: numpy.asarray(tree[name][device]) for name in step.shapes}
    return [{"loss": loss[r], "gradient": pick(gradient, r), "parameters": pick(updated, r)}
            for r in range(step.world)]


shardproof.serve(train_step, kind="train_step", claim=CLAIM)
