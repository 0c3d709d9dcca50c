// Cases and results as files.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "cli/program.h"

namespace shardproof::testing {
namespace {

namespace fs = std::filesystem;

/// Answers a file of cases. `{}` is what divides the weighted sum.
constexpr const char* kProgram = R"(
import ctypes, json, sys
def rounded(value, dtype): return ctypes.c_float(value).value if dtype == 'f32' else value
for line in sys.stdin:
    m = json.loads(line)
    if m['type'] == 'cases':
        print(json.dumps({'shardproof': 1, 'type': 'results', 'kind': 'all_at_once',
                          'digest': m['digest']}))
        continue
    steps = []
    for step in m['steps']:
        batches = [b for r in step['ranks'] for b in r['micro_batches']]
        for r in step['ranks']:
            own = sum(b['valid'] for b in r['micro_batches'])
            for b in r['micro_batches']: b['own'] = own or 1
        total = {} or 1
        weight = lambda b: {}
        steps.append({'gradient': [[rounded(sum(v) / total, m['result_dtype']) for v in
            zip(*([weight(b) * float(g) for g in b['gradient'][leaf]] for b in batches))]
            for leaf in range(len(m['leaves']))]})
    print(json.dumps({'type': 'result', 'id': m['id'], 'steps': steps}))
)";

class Records : public ProgramTest {
 protected:
  void generate(std::vector<std::string> options = {}) {
    options.insert(options.begin(), {"generate", "--seed", "3", "--cases", "40"});
    const Ended ended = run(options);
    ASSERT_EQ(ended.status, 0) << ended.err;
    write("cases.jsonl", ended.out);
  }
  void answer(const std::string& total, const std::string& weight) {
    std::string text = kProgram;
    text.replace(text.find("{} or"), 2, total);
    text.replace(text.find("{}\n"), 2, weight);
    write("program.py", text);
    const std::string command = "cd '" + directory_.string() +
                                "' && /usr/bin/python3 program.py < cases.jsonl > results.jsonl";
    ASSERT_EQ(std::system(command.c_str()), 0);
  }
  [[nodiscard]] Ended judge() const { return run({"judge", "cases.jsonl", "results.jsonl"}); }
  [[nodiscard]] std::string results() const { return contents(directory_ / "results.jsonl"); }
};

constexpr const char* kValid = "sum(b['valid'] for b in batches)";

/// What stands behind `predicted by: ` up to the `;`.
std::string cause_of(const std::string& report) {
  const std::size_t at = report.find("predicted by: ");
  return at == std::string::npos ? "" : report.substr(at, report.find(';', at) - at);
}

TEST_F(Records, ARightSubjectIsConsistent) {
  generate();
  answer(kValid, "b['valid']");
  const Ended ended = judge();
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("subject results.jsonl, seed 3: "), std::string::npos) << ended.out;
}

TEST_F(Records, AWrongSubjectIsRefutedWithTheSameCauseAsByACheck) {
  generate();
  const struct {
    const char* total;
    const char* weight;
    const char* builtin;
  } examples[] = {{"1", "b['valid'] / b['own']", "psum"},
                  {"sum(b['rows'] for b in batches)", "b['valid']", "padded-denominator"}};
  for (const auto& example : examples) {
    answer(example.total, example.weight);
    const Ended judged = judge();
    const Ended checked = run({"check", example.builtin, "--seed", "3"});
    EXPECT_EQ(judged.status, 1) << judged.out << judged.err;
    EXPECT_EQ(checked.status, 1);
    EXPECT_NE(cause_of(checked.out), "") << checked.out;
    // Nothing could be shrunk, yet what is shown is small.
    EXPECT_NE(judged.out.find("\n  parameters  kernel [0]\n"), std::string::npos) << judged.out;
    EXPECT_EQ(cause_of(judged.out), cause_of(checked.out)) << judged.out << checked.out;
  }
}

TEST_F(Records, MissingResultsAreCounted) {
  generate();
  answer(kValid, "b['valid']");
  std::string text = results();
  text.erase(text.rfind('\n', text.size() - 2) + 1);
  text.erase(text.rfind('\n', text.size() - 2) + 1);
  write("results.jsonl", text);
  const Ended ended = judge();
  EXPECT_EQ(ended.status, 4) << ended.out << ended.err;
  EXPECT_EQ(ended.err.find("shardproof judge: 2 of "), 0U) << ended.err;
  write("results.jsonl", text.substr(0, text.find('\n') + 1));
  EXPECT_EQ(judge().status, 4);
}

TEST_F(Records, ResultsThatDoNotBelongAreRefused) {
  generate();
  answer(kValid, "b['valid']");
  const std::string text = results();
  const std::size_t second = text.find('\n') + 1;
  const std::string head = text.substr(0, second);
  const std::string first = text.substr(second, text.find('\n', second) + 1 - second);
  write("results.jsonl", text + first);
  expect_refused(judge(), "shardproof judge: results.jsonl: line ");
  EXPECT_NE(judge().err.find("the result of case 0, rank 0, is there twice"), std::string::npos);
  write("results.jsonl", text.substr(0, text.size() - 9));
  EXPECT_NE(judge().err.find("is cut off"), std::string::npos);
  write("results.jsonl", head + R"({"type":"result","id":99999,"steps":[]})" + "\n");
  expect_refused(judge(), "shardproof judge: results.jsonl: line 2: there is no case 99999");
  write("results.jsonl", head + "rubbish\n");
  expect_refused(judge(), "shardproof judge: results.jsonl: line 2: an object is due");
  write("results.jsonl", "");
  expect_refused(judge(), "shardproof judge: results.jsonl: is empty");
  write("results.jsonl", text);
  generate({"--dtype", "f64"});
  expect_refused(judge(),
                 "shardproof judge: results.jsonl: line 1: digest: these are results of other");
}

TEST_F(Records, CasesThatWereChangedAreRefused) {
  generate();
  answer(kValid, "b['valid']");
  std::string text = contents(directory_ / "cases.jsonl");
  const std::size_t at = text.find("\"loss\":");
  text.replace(at, 8, "\"loss\":3");
  write("cases.jsonl", text);
  EXPECT_EQ(judge().status, 2);
  write("cases.jsonl", text.substr(0, text.size() / 2));
  EXPECT_EQ(judge().status, 2);
  expect_refused(run({"judge", "none.jsonl", "results.jsonl"}), "shardproof judge: none.jsonl: ");
  expect_refused(run({"judge", "cases.jsonl"}),
                 "shardproof judge: takes CASES and RESULTS, two files");
}

TEST_F(Records, ASeedGivesTheSameCases) {
  const Ended first = run({"generate", "--seed", "3", "--cases", "10"});
  EXPECT_EQ(first.out, run({"generate", "--seed", "3", "--cases", "10"}).out);
  EXPECT_NE(first.out, run({"generate", "--seed", "4", "--cases", "10"}).out);
}

TEST_F(Records, TrainStepsGetRowsAndClaimsAreKept) {
  const Ended ended = run({"generate", "--seed", "3", "--cases", "10", "--kind", "train-step",
                           "--claim", "world=2..3"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_NE(ended.out.find("\"kind\":\"train_step\",\"claim\":\"target=weighted-mean,"),
            std::string::npos);
  EXPECT_NE(ended.out.find("\"learning_rate\":"), std::string::npos);
  EXPECT_EQ(ended.out.find("\"world\":4"), std::string::npos);
}

}  // namespace
}  // namespace shardproof::testing
