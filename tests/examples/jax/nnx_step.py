"""One NNX Linear and one SGD step over equal shards, under shardproof:

    shardproof check --warmup 3 -- python3 nnx_step.py VARIANT

VARIANT  right         gradients summed over shards, divided by their number, one update
         sum           not divided
         twice         updated twice
         kernel-only   the bias is not updated
         late-loss     the loss is measured after the update
"""
import os
import sys

os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import numpy
import optax
from flax import nnx

import shardproof

VARIANT = sys.argv[1]
CLAIM = ("preset=jax-cpu,conditions=equal,world=1..4,dtype=f32,rows=2,micro-batches=1,features=2,outputs=2,"
         "layers=1,bias=yes,absent=no,steps=1..2")


def loss_of(model, x, y):
    return jnp.mean((model(x) - y) ** 2)


value_and_grad = nnx.jit(nnx.value_and_grad(loss_of))
GRAPH, STATE = nnx.split(nnx.Linear(2, 2, rngs=nnx.Rngs(0)))


def model_of(parameters):
    model = nnx.merge(GRAPH, STATE)
    model.kernel.value = jnp.asarray(parameters["kernel"])
    model.bias.value = jnp.asarray(parameters["bias"])
    return model


def update(model, gradient, learning_rate):
    optimizer = nnx.Optimizer(model, optax.sgd(learning_rate))
    for _ in range(2 if VARIANT == "twice" else 1):
        optimizer.update(gradient)


def train_step(step):
    """Every shard evaluates the same parameters; then one reduction and one update for all."""
    parameters = step.ranks[0].parameters
    model = model_of(parameters)
    shards = [(rank.micro_batches[0].x, rank.micro_batches[0].y) for rank in step.ranks]
    losses, gradients = zip(*(value_and_grad(model, x, y) for x, y in shards))
    count = 1 if VARIANT == "sum" else len(shards)
    average = jax.tree_util.tree_map(lambda *parts: sum(parts) / count, *gradients)
    update(model, average, step.learning_rate)
    if VARIANT == "kernel-only":
        model.bias.value = jnp.asarray(parameters["bias"])
    if VARIANT == "late-loss":
        losses = [loss_of(model, x, y) for x, y in shards]
    result = {"loss": numpy.float32(sum(losses) / len(losses)),
              "gradient": {name: numpy.asarray(average[name].value) for name in step.shapes},
              "parameters": {name: numpy.asarray(getattr(model, name).value) for name in step.shapes}}
    return [result for _ in step.ranks]


shardproof.serve(train_step, kind="train_step", claim=CLAIM)
