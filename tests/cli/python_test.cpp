// The Python client, its pytest plugin and the schema of the protocol.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "cli/program.h"

namespace shardproof::testing {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMean = R"(
def total(batches): return sum(b.valid for b in batches) or 1
def flat(values):
    values = values.tolist() if hasattr(values, 'tolist') else values
    return [v for row in values for v in (row if isinstance(row, list) else [row])]
def mean(step):
    batches = [b for rank in step.ranks for b in rank.micro_batches]
    return [[rounded(sum(v) / total(batches), step.result_dtype) for v in
             zip(*([b.valid * x for x in flat(b.gradient[name])] for b in batches))]
            for name in step.shapes]
def rounded(value, dtype):
    import ctypes
    return ctypes.c_float(value).value if dtype == 'f32' else value
)";

bool python_has(const std::string& module) {
  return std::system(("/usr/bin/python3 -c 'import " + module + "' 2>/dev/null").c_str()) == 0;
}

class Python : public ProgramTest {
 protected:
  Python() {
    fs::copy(fs::path(SHARDPROOF_SOURCE) / "cli/share/shardproof.py", directory_);
    fs::copy(fs::path(SHARDPROOF_SOURCE) / "cli/share/pytest_shardproof.py", directory_);
  }
  [[nodiscard]] std::string subject(const std::string& rest) const {
    return write("subject.py", std::string("import os, shardproof, sys\n") + kMean + rest).string();
  }
  [[nodiscard]] Ended check(std::vector<std::string> command,
                            const std::string& cases = "100") const {
    std::vector<std::string> options{"check", "--seed", "1", "--cases", cases, "--"};
    options.insert(options.end(), command.begin(), command.end());
    return run(options);
  }
  /// What a shell command prints; it ends with status `status`.
  [[nodiscard]] std::string shell(const std::string& command, int status) const {
    const std::string line = "cd '" + directory_.string() + "' && { " + command + "; } > out 2>&1";
    EXPECT_EQ(WEXITSTATUS(std::system(line.c_str())), status) << contents(directory_ / "out");
    return contents(directory_ / "out");
  }
};

TEST_F(Python, WhatAFunctionPrintsIsNoHarm) {
  const std::string file = subject(
      "def loud(step):\n    print('{\"loud\": 1}', flush=True)\n    return mean(step)\n"
      "shardproof.serve(loud, kind='all_at_once', arrays=False)\n");
  const Ended over_socket = check({"/usr/bin/python3", file});
  EXPECT_EQ(over_socket.status, 0) << over_socket.out << over_socket.err;
  const Ended on_stdout =
      check({"/usr/bin/env", "-u", "SHARDPROOF_SOCKET", "/usr/bin/python3", file});
  EXPECT_EQ(on_stdout.status, 0) << on_stdout.out << on_stdout.err;
}

TEST_F(Python, AnExceptionIsAFailureWithItsText) {
  const std::string file = subject(
      "def broken(step):\n    raise KeyError('kernel')\n"
      "shardproof.serve(broken, kind='all_at_once')\n");
  const Ended ended = check({"/usr/bin/python3", file});
  EXPECT_EQ(ended.status, 1) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("threw: KeyError: 'kernel'"), std::string::npos) << ended.out;
}

TEST_F(Python, EveryProcessMayServeItsRank) {
  const std::string file = subject(R"(
import socket
world = 3
ends = [socket.socketpair() for _ in range(world)]
for rank in range(world):
    if os.fork() == 0: break
else:
    for _ in range(world): os.wait()
    sys.exit()
incoming = ends[rank][1].makefile('rb')
def reduce(step):
    # A ring: every rank's numbers go once around it.
    import pickle
    mine = step.ranks[0].micro_batches
    files = ends[(rank + 1) % step.world][0], incoming
    seen = {rank: mine}
    send = (rank, [(b.valid, b.gradient) for b in mine])
    for _ in range(step.world - 1):
        files[0].sendall(pickle.dumps(send))
        send = pickle.load(files[1])
        seen[send[0]] = [shardproof.MicroBatch(valid=v, gradient=g) for v, g in send[1]]
    step.ranks = [shardproof.RankInput(r, seen[r], None) for r in sorted(seen)]
    return mean(step)
shardproof.serve_rank(rank, world, reduce, arrays=False)
os._exit(0)
)");
  const Ended ended = check({"/usr/bin/python3", file});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
}

TEST_F(Python, ATrainStepOfSeveralStepsCarriesItsParametersOn) {
  if (!python_has("numpy")) GTEST_SKIP() << "python3-numpy is not installed";
  const std::string file = subject(R"(
import numpy
def train(step):
    kernel = [n for n in step.shapes if n.endswith('kernel')]
    gradient = {n: numpy.zeros(s) for n, s in step.shapes.items()}
    count = sum(int(b.mask.sum()) for r in step.ranks for b in r.micro_batches)
    if count == 0: raise shardproof.Decline('no rows')
    p = {n: v.astype(float) for n, v in step.ranks[0].parameters.items()}
    loss = 0.0
    outputs = sum(step.shapes[n][1] for n in kernel)
    for b in (b for r in step.ranks for b in r.micro_batches):
        x, y = b.x[b.mask].astype(float), b.y[b.mask].astype(float)
        at = 0
        for layer, n in enumerate(kernel):
            k, bias = step.shapes[n][1], n[:-6] + 'bias'
            error = x @ p[n] + p.get(bias, 0) - y[:, at:at + k]
            at += k
            if b.absent[layer]: continue
            loss += (error ** 2).sum() / (count * outputs)
            gradient[n] += 2 * x.T @ error / (count * outputs)
            if bias in gradient: gradient[bias] += 2 * error.sum(0) / (count * outputs)
    kind = numpy.float32 if step.dtype == 'f32' else numpy.float64
    gradient = {n: g.astype(kind) for n, g in gradient.items()}
    after = {n: (p[n] - step.learning_rate * gradient[n]).astype(kind) for n in p}
    return [{'loss': kind(loss), 'gradient': gradient, 'parameters': after}] * step.world
shardproof.serve(train, kind='train_step')
)");
  const Ended ended = check({"/usr/bin/python3", file});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("PASSED   one_update_per_leaf"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("PASSED   second_step"), std::string::npos) << ended.out;
}

TEST_F(Python, AServedFunctionAnswersAFileOfCases) {
  const std::string file = subject("shardproof.serve(mean, kind='all_at_once', arrays=False)\n");
  write("cases.jsonl", run({"generate", "--cases", "20", "--seed", "1"}).out);
  EXPECT_EQ(shell("/usr/bin/python3 subject.py < cases.jsonl > results.jsonl", 0), "");
  const Ended judged = run({"judge", "cases.jsonl", "results.jsonl"});
  EXPECT_EQ(judged.status, 0) << judged.out << judged.err;
}

TEST_F(Python, EveryPropertyIsATestOfPytest) {
  if (!python_has("pytest")) GTEST_SKIP() << "python3-pytest is not installed";
  write("conftest.py", "pytest_plugins = ['pytest_shardproof']\n");
  write("test_mean.py", std::string("import shardproof\n") + kMean + R"(
@shardproof.subject(kind='all_at_once', cases=60, seed=1)
def right(step):
    return mean(step)
@shardproof.subject(kind='all_at_once', cases=60, seed=1)
def wrong(step):
    return [[2 * v for v in leaf] for leaf in mean(step)]
)");
  write("pytest.ini",
        "[pytest]\nshardproof_commands =\n    plain: /usr/bin/python3 plain.py\n"
        "shardproof_options = --cases 60 --seed 1\n");
  write("plain.py", contents(fs::path(SHARDPROOF_SOURCE) / "tests/examples/plain_reducer.py"));
  const std::string out = shell(
      "SHARDPROOF=" SHARDPROOF_PROGRAM " /usr/bin/python3 -m pytest -v -p no:cacheprovider", 1);
  for (const char* line : {"test_mean.py::right::matches_reference PASSED",
                           "test_mean.py::right::one_update_per_leaf SKIPPED",
                           "test_mean.py::wrong::matches_reference FAILED",
                           "shardproof::plain::matches_reference PASSED"}) {
    EXPECT_NE(out.find(line), std::string::npos) << line << '\n' << out;
  }
  EXPECT_NE(out.find("FAILED (refuted)  matches_reference"), std::string::npos) << out;
}

TEST_F(Python, TheSchemaHoldsForRealMessagesOfBothSides) {
  if (!python_has("jsonschema")) GTEST_SKIP() << "python3-jsonschema is not installed";
  const std::string file = subject("shardproof.serve(mean, kind='all_at_once', arrays=False)\n");
  for (const char* kind : {"reducer", "train-step"}) {
    write(std::string(kind) + ".jsonl",
          run({"generate", "--cases", "5", "--seed", "1", "--kind", kind}).out);
  }
  static_cast<void>(shell("/usr/bin/python3 subject.py < reducer.jsonl > results.jsonl", 0));
  const Ended ended = check(
      {"/bin/sh", "-c",
       "tee sent.jsonl | env -u SHARDPROOF_SOCKET /usr/bin/python3 " + file + " | tee said.jsonl"},
      "20");
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  write("validate.py", R"(
import json, sys
from jsonschema import Draft7Validator
schema = json.load(open(sys.argv[1]))
Draft7Validator.check_schema(schema)
validator = Draft7Validator(schema)
count = 0
for name in sys.argv[2:]:
    for line in open(name):
        validator.validate(json.loads(line))
        count += 1
for wrong in ({'type': 'result', 'id': 1}, {'type': 'hello'}, {'type': 'result', 'id': 1,
              'steps': [{'gradients': [[1]]}]}, {'type': 'declined', 'id': 1}):
    assert not validator.is_valid(wrong), wrong
assert count > 100, count
)");
  EXPECT_EQ(shell("/usr/bin/python3 validate.py " SHARDPROOF_SOURCE
                  "/docs/protocol.schema.json sent.jsonl said.jsonl reducer.jsonl train-step.jsonl "
                  "results.jsonl",
                  0),
            "");
}

}  // namespace
}  // namespace shardproof::testing
