// Small trials of a program that echoes: what the protocol costs.

#include <benchmark/benchmark.h>

#include <memory>
#include <stdexcept>
#include <variant>

#include "harness/subject/cases.h"
#include "shardproof/subject/program.h"

namespace shardproof {
namespace {

/// Every rank returns its own contribution of the last micro-batch.
constexpr const char* kEcho = R"(
import json, os, socket, sys
if OVER_SOCKET:
    end = socket.socket(socket.AF_UNIX)
    end.connect(os.environ['SHARDPROOF_SOCKET'])
    source, sink = end.makefile('rb'), end.makefile('wb')
else:
    source, sink = sys.stdin.buffer, sys.stdout.buffer
for line in source:
    m = json.loads(line)
    if m['type'] == 'hello':
        answer = {'shardproof': 1, 'type': 'hello', 'kind': 'reducer'}
    else:
        answer = {'type': 'result', 'id': m['id'], 'steps': [{'ranks': [
            {'gradient': r['micro_batches'][-1]['gradient']} for r in s['ranks']]} for s in m['steps']]}
    sink.write(json.dumps(answer).encode() + b'\n')
    sink.flush()
)";

void echo(benchmark::State& state, bool over_socket) {
  const std::string script =
      std::string("OVER_SOCKET = ") + (over_socket ? "True" : "False") + kEcho;
  const auto subject = program_subject({.command = {"/usr/bin/python3", "-c", script},
                                        .launcher = {.program = SHARDPROOF_PROGRAM, .memory = 0}});
  const SharedCase problem = test::two_ranks();
  for (auto _ : state) {
    const Outcome outcome = subject->run(problem, Limits{});
    if (!std::holds_alternative<Returned>(outcome)) throw std::runtime_error("no echo");
  }
  state.SetItemsProcessed(state.iterations());
}

BENCHMARK_CAPTURE(echo, stdout, false)->UseRealTime();
BENCHMARK_CAPTURE(echo, socket, true)->UseRealTime();

}  // namespace
}  // namespace shardproof
