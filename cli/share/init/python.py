"""A gradient reduction under test:

    shardproof check -- python3 THIS_FILE
"""
import numpy

import shardproof

# FILL IN: what your reduction promises, as `shardproof list` and docs/claims.md name it; such as
# "target=sum", "target=mean-over-ranks,conditions=equal", "world=8", "dtype=f32".
CLAIM = "target=weighted-mean"


def reduce(step):
    """Every rank's contributions of one step to the one tree that all ranks hold afterwards."""
    # FILL IN: your own reduction in place of these lines. step.ranks[r].micro_batches[k] has
    #   .gradient  {leaf name: array}, the mean over the valid rows of rank r's micro-batch k
    #   .valid     how many rows that are; may be 0: the gradient is zeros then
    #   .loss      their mean loss
    batches = [batch for rank in step.ranks for batch in rank.micro_batches]
    total = sum(batch.valid for batch in batches)
    if total == 0:
        raise shardproof.Decline("no valid row on any rank")
    tree = {}
    for name in step.shapes:
        dtype = batches[0].gradient[name].dtype
        weighted = sum(numpy.float64(batch.valid) * batch.gradient[name] for batch in batches)
        tree[name] = (weighted / total).astype(dtype)
    return tree


# kind="all_at_once": one result for all ranks, as above. kind="reducer": a list with one for each of
# step.ranks, which may differ where your reduction is wrong. kind="train_step": rows instead of
# gradients; see shardproof.py.
shardproof.serve(reduce, kind="all_at_once", claim=CLAIM)
