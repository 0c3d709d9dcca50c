"""The mean over all valid rows, with the standard library alone: shardproof check -- python3 FILE."""
import ctypes
import json
import sys


def rounded(value, dtype):
    return ctypes.c_float(value).value if dtype == "f32" else value


def mean(batches, leaf, dtype):
    total = sum(batch["valid"] for batch in batches) or 1
    columns = zip(*([batch["valid"] * float(g) for g in batch["gradient"][leaf]] for batch in batches))
    return [rounded(sum(column) / total, dtype) for column in columns]


for line in sys.stdin:
    message = json.loads(line)
    answer = {"shardproof": 1, "type": "hello", "kind": "all_at_once", "claim": {}}
    if message["type"] == "case":
        answer = {"type": "result", "id": message["id"], "steps": []}
        for step in message["steps"]:
            batches = [batch for rank in step["ranks"] for batch in rank["micro_batches"]]
            answer["steps"].append({"gradient": [mean(batches, leaf, message["result_dtype"])
                                                 for leaf in range(len(message["leaves"]))]})
    print(json.dumps(answer), flush=True)
