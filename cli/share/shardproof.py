"""The Python side of shardproof: serve a gradient reduction or a training step to `shardproof check`.

    import shardproof

    def mean(step):                                  # all contributions of one step in, one tree out
        batches = [b for rank in step.ranks for b in rank.micro_batches]
        total = sum(b.valid for b in batches)
        return {name: sum(b.valid * b.gradient[name] for b in batches) / total for name in step.shapes}

    shardproof.serve(mean, kind="all_at_once", claim="dtype=f32")

and then `shardproof check -- python3 THIS_FILE`. One file, standard library only; arrays are NumPy's
where NumPy is installed, else nested lists. The protocol beneath is docs/protocol.md.
"""

import json
import os
import socket
import sys
import traceback

PROTOCOL = 1
KINDS = ("reducer", "all_at_once", "train_step")

__all__ = ["Decline", "Step", "RankInput", "MicroBatch", "serve", "serve_rank", "subject"]


class Decline(Exception):
    """An error on purpose: the function refuses the case, such as a step without any valid row."""


class MicroBatch:
    """What one rank evaluates at once.

    Of a reducer: `gradient` {leaf name: array}, `loss`, `valid` (rows that the mask keeps), `rows`
    (padding included). Of a train step: `x` [rows, features], `y` [rows, outputs], `mask` [rows].
    `absent` says for each layer whether it is unused.
    """

    def __init__(self, **fields):
        self.__dict__.update(fields)


class RankInput:
    """What one rank is given in one step: `rank`, `micro_batches` and, of a train step,
    `parameters` {leaf name: array}, as the rank's last step returned them."""

    def __init__(self, rank, micro_batches, parameters):
        self.rank = rank
        self.micro_batches = micro_batches
        self.parameters = parameters


class Step:
    """One step of a case: `index` (0 begins a case), `world` (how many ranks take part), `ranks`
    ([RankInput]), `shapes` {leaf name: shape}, `dtype` of rows and parameters, `gradient_dtype` of
    contributions, `result_dtype` of results, `learning_rate`."""

    def __init__(self, case, index, ranks):
        self.case = case
        self.index = index
        self.ranks = ranks
        self.world = case["world"]
        self.shapes = {leaf["name"]: tuple(leaf["shape"]) for leaf in case["leaves"]}
        self.layers = {leaf["name"]: leaf["layer"] for leaf in case["leaves"]}
        self.dtype = case["dtype"]
        self.gradient_dtype = case["gradient_dtype"]
        self.result_dtype = case["result_dtype"]
        self.learning_rate = case.get("learning_rate")


def serve(function, kind="reducer", claim="", arrays=True):
    """Answers every case with `function(step)`, until the harness ends.

    It returns one result for each rank of `step.ranks` in a list; of the kind `all_at_once` one for
    all. A result is a tree - {leaf name: array} or [array, ...] in the order of `step.shapes` - or
    {"gradient": tree, "loss": ..., "count": ..., "norm": ..., "parameters": tree}; all but the
    gradient may be left out by a reducer, `loss` and `parameters` not by a train step. Where the
    claim says result=pieces, "piece" is the rank's part of the flat tree in place of "gradient", and
    "offset" where it begins unless the tree is cut evenly. Arrays are anything with `tolist`, or
    nested lists.

    claim: settings (`target=sum,world=16`) or a dict of them. arrays: False hands out lists.
    """
    _serve(_connect(), function, kind, claim, None, None, arrays, None)


def serve_rank(rank, world, function, kind="reducer", claim="", arrays=True, on_world=None):
    """The same for one of `world` processes (torchrun, mpirun, srun), which all call it.

    `function(step)` gets a step with this rank alone (`step.ranks[0]`) and returns its result. Ranks
    that a smaller case leaves out are not called; `on_world(size)` is called on all of them, before
    each case of another size than the one before, so that groups can be made.
    """
    if "SHARDPROOF_SOCKET" not in os.environ:
        raise RuntimeError("SHARDPROOF_SOCKET is not set: run this under `shardproof check -- ...`")
    _serve(_connect(), lambda step: [function(step)], kind, claim, rank, world, arrays, on_world)


def subject(kind="reducer", claim="", **options):
    """Marks a function as a subject, for the pytest plugin and for `python3 -m shardproof
    FILE:FUNCTION`. Options are those of `shardproof check`: cases=200, seed=1, property="loss*"."""

    def mark(function):
        function.shardproof_subject = {"kind": kind, "claim": claim, "options": options}
        return function

    return mark


def _connect():
    """The two ends of the conversation. What the program prints never reaches them."""
    path = os.environ.get("SHARDPROOF_SOCKET")
    if path:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.connect(path)
        return connection.makefile("rb"), connection.makefile("wb")
    from_harness, to_harness = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.stdout.flush()
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return from_harness, to_harness


def _serve(ends, function, kind, claim, rank, world, arrays, on_world):
    if kind not in KINDS:
        raise ValueError(f"kind {kind!r} is none of {', '.join(KINDS)}")
    from_harness, to_harness = ends
    make = _array_maker(arrays)
    last_world = world

    def say(message):
        to_harness.write(json.dumps(message).encode() + b"\n")
        to_harness.flush()

    try:
        for line in from_harness:
            message = json.loads(line)
            if message["type"] == "cases":  # a file of `shardproof generate`
                say({"shardproof": PROTOCOL, "type": "results", "kind": kind,
                     "digest": message["digest"]})
                continue
            if message["type"] == "hello":
                hello = {"shardproof": PROTOCOL, "type": "hello", "kind": kind, "claim": claim}
                if rank is not None:
                    hello.update(ranks=[rank], world=world)
                say(hello)
                continue
            if on_world is not None and message["world"] != last_world:
                last_world = message["world"]
                on_world(last_world)
            say(_answer(message, function, kind, make))
    except (BrokenPipeError, ConnectionResetError):
        pass  # the harness has what it wants


def _answer(case, function, kind, make):
    results = []
    parameters = None
    if kind == "train_step":
        whole = _tree(case, case["parameters"], make, case["dtype"])
        parameters = {rank: whole for rank in case["ranks"]}
    for index, step in enumerate(case["steps"]):
        try:
            given = Step(case, index, _ranks(case, step, parameters, make))
            answers = function(given) if given.ranks else []
            if kind == "all_at_once":
                results.append(_result(answers))
                continue
            answers = [_result(answer) for answer in answers]
            results.append({"ranks": answers})
            if parameters is not None and index + 1 < len(case["steps"]):
                for rank, answer in zip(case["ranks"], answers):
                    after = _in_order(case, answer["parameters"])
                    parameters[rank] = _tree(case, after, make, case["dtype"])
        except Decline as declined:
            return _refusal("declined", case, index, str(declined))
        except Exception as error:  # whatever a user's function raises is an answer
            traceback.print_exc()
            return _refusal("error", case, index, f"{type(error).__name__}: {error}{_place(error)}")
    return {"type": "result", "id": case["id"], "steps": results}


def _place(error):
    """Where in the user's own files it was raised."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename != __file__:
            return f" ({os.path.basename(frame.filename)}, line {frame.lineno})"
    return ""


def _refusal(kind, case, step, message):
    rank = case["ranks"][0] if case["ranks"] else 0
    return {"type": kind, "id": case["id"], "rank": rank, "step": step, "message": message}


def _ranks(case, step, parameters, make):
    ranks = []
    for rank, given in zip(case["ranks"], step["ranks"]):
        batches = [_micro_batch(case, batch, make) for batch in given["micro_batches"]]
        ranks.append(RankInput(rank, batches, parameters and parameters[rank]))
    return ranks


def _micro_batch(case, batch, make):
    absent = [flag == 1 for flag in batch["absent"]]
    if "mask" in batch:
        rows = len(batch["mask"])
        kernels = [leaf["shape"] for leaf in case["leaves"] if len(leaf["shape"]) == 2]
        features, outputs = kernels[0][0], sum(shape[1] for shape in kernels)
        return MicroBatch(x=make(batch["x"], case["dtype"], (rows, features)),
                          y=make(batch["y"], case["dtype"], (rows, outputs)),
                          mask=make([flag == 1 for flag in batch["mask"]], "bool", (rows,)),
                          absent=absent)
    return MicroBatch(gradient=_tree(case, batch["gradient"], make, case["gradient_dtype"]),
                      loss=float(batch["loss"]), valid=batch["valid"], rows=batch["rows"],
                      absent=absent)


def _tree(case, leaves, make, dtype):
    """[flat or nested list, ...] to {leaf name: array}."""
    return {leaf["name"]: make(values, dtype, tuple(leaf["shape"]))
            for leaf, values in zip(case["leaves"], leaves)}


def _in_order(case, tree):
    return [tree[leaf["name"]] for leaf in case["leaves"]] if isinstance(tree, dict) else tree


def _result(answer):
    if not (isinstance(answer, dict) and ("gradient" in answer or "piece" in answer)):
        answer = {"gradient": answer}
    result = {}
    for key, value in answer.items():
        if key in ("gradient", "parameters"):
            result[key] = _plain_tree(value)
        elif key == "piece":
            result[key] = _plain(value)
        elif value is not None:
            result[key] = int(value) if key == "offset" else float(value)
    return result


def _plain_tree(tree):
    if isinstance(tree, dict):
        return {name: _plain(values) for name, values in tree.items()}
    return [_plain(values) for values in tree]


def _plain(values):
    """Nested lists of floats, whose text reads back to the same bits."""
    if hasattr(values, "tolist"):
        values = values.tolist()
    if isinstance(values, (list, tuple)):
        return [_plain(value) for value in values]
    return float(values)


def _nested(values, shape):
    if len(shape) < 2 or (values and isinstance(values[0], list)):
        return values
    return [values[i:i + shape[1]] for i in range(0, len(values), shape[1])]


def _array_maker(arrays):
    """A function of (values, dtype, shape)."""

    def numbers(values):  # NaN and infinities come as strings
        if isinstance(values, list):
            return [numbers(value) for value in values]
        return float(values) if isinstance(values, str) else values

    def as_lists(values, _dtype, shape):
        return _nested(numbers(values), shape)

    if not arrays:
        return as_lists
    try:
        import numpy
    except ImportError:
        return as_lists
    dtypes = {"f64": numpy.float64, "f32": numpy.float32, "f16": numpy.float16, "bool": numpy.bool_}
    try:
        import ml_dtypes
        dtypes["bf16"] = ml_dtypes.bfloat16
    except ImportError:
        dtypes["bf16"] = numpy.float32  # holds every value of it

    def as_arrays(values, dtype, shape):
        return numpy.array(numbers(values), dtype=dtypes[dtype]).reshape(shape)

    return as_arrays


_USAGE = """usage: python3 shardproof.py FILE:FUNCTION        serves a function
       python3 shardproof.py --ranks N FILE ...  starts N processes as torchrun does"""


def _load(place):
    """The function of `FILE:FUNCTION`."""
    import importlib.util

    path, _, name = place.rpartition(":")
    if not path or not name:
        sys.exit(_USAGE)
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    spec = importlib.util.spec_from_file_location(os.path.splitext(os.path.basename(path))[0], path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


def _start_ranks(count, command):
    """What torchrun does: one process a rank, with the variables that torch.distributed reads."""
    import subprocess

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    ranks = [subprocess.Popen([sys.executable, *command], env=os.environ | {
        "RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": str(count),
        "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}) for rank in range(count)]
    failed = 0
    while ranks and not failed:  # the first that fails takes the others along
        pid, status = os.wait()
        failed = os.waitstatus_to_exitcode(status)
        ranks = [rank for rank in ranks if rank.pid != pid]
    for rank in ranks:
        rank.kill()
    sys.exit(abs(failed))


def _main():
    if len(sys.argv) > 3 and sys.argv[1] == "--ranks":
        _start_ranks(int(sys.argv[2]), sys.argv[3:])
    if len(sys.argv) != 2:
        sys.exit(_USAGE)
    sys.modules.setdefault("shardproof", sys.modules["__main__"])
    function = _load(sys.argv[1])
    marked = getattr(function, "shardproof_subject", {"kind": "reducer", "claim": ""})
    serve(function, kind=marked["kind"], claim=marked["claim"])


if __name__ == "__main__":
    _main()
