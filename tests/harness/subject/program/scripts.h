#pragma once

#include <string>
#include <vector>

#include "shardproof/subject/program.h"

namespace shardproof::test {

/// Python that reads messages as `m` and answers with what `answer` makes of a case; `say` writes a
/// line. The steps of the right answer are `summed(m)`: the plain sum over ranks and micro-batches.
inline std::string script(const std::string& on_case,
                          const std::string& hello = R"(kind='reducer')",
                          const std::string& before = "") {
  return R"(
import json, os, signal, sys, time
def say(*, to=sys.stdout, **message):
    to.write(json.dumps(message) + '\n'); to.flush()
def summed(m):
    def result(step):
        batches = [b['gradient'] for r in step['ranks'] for b in r['micro_batches']]
        return {'gradient': [[sum(v) for v in zip(*leaf)] for leaf in zip(*batches)]}
    return [{'ranks': [result(step) for r in m['ranks']]} for step in m['steps']]
def answer(m, **more):
    say(type='result', id=m['id'], **({'steps': summed(m)} | more))
)" + before +
         R"(
for line in sys.stdin:
    m = json.loads(line)
    if m['type'] == 'hello':
        say(shardproof=1, type='hello', )" +
         hello + R"()
    else:
        )" +
         on_case + "\n";
}

inline ProgramOptions python(std::string text) {
  return {.command = {"/usr/bin/python3", "-c", std::move(text)},
          .launcher = {.program = SHARDPROOF_PROGRAM, .memory = 0}};
}

}  // namespace shardproof::test
