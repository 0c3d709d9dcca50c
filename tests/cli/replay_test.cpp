#include <gtest/gtest.h>

#include <fstream>

#include "cli/program.h"

namespace shardproof::testing {
namespace {

using Replay = ProgramTest;
using Explain = ProgramTest;

std::string with(std::string text, std::string_view what, std::string_view instead) {
  const auto at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what << " in " << text;
  return at == std::string::npos ? text : text.replace(at, what.size(), instead);
}

TEST_F(Replay, ShowsTheSavedFailureAgainAndPassesARightSubject) {
  const std::string file = saved_counterexample().string();
  const std::string saved = contents(file);
  const Ended wrong = run({"replay", file});
  EXPECT_EQ(wrong.status, 1) << wrong.out << wrong.err;
  EXPECT_EQ(wrong.out.find("FAILED   matches_reference   psum   " + file + "\n  "), 0U);
  const std::size_t line = wrong.out.find('\n') + 3;
  const std::string sentence = wrong.out.substr(line, wrong.out.find('\n', line) - line);
  EXPECT_NE(saved.find("\"failure\": \"" + sentence + '"'), std::string::npos) << sentence;
  const Ended right = run({"replay", file, "sequential"});
  EXPECT_EQ(right.status, 0) << right.out << right.err;
  EXPECT_EQ(right.out, "PASSED   matches_reference   sequential   " + file + "\n");
  EXPECT_EQ(run({"replay", file, file, "psum"}).status, 1);
}

// It was never claimed for them that they take means, round by a tree, or return equal bits.
TEST_F(Replay, AnotherSubjectIsJudgedUnderItsOwnClaim) {
  const std::string file = saved_counterexample().string();
  const std::string found = file.substr(0, file.size() - 5) + "-found.json";
  for (const char* subject : {"sequential:sum-over-count", "kahan", "own-rank-first",
                              "running-mean", "sgd", "mean-over-ranks", "sum"}) {
    for (const std::string& each : {file, found}) {
      const Ended ended = run({"replay", each, subject, "--property", "*"});
      EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
    }
  }
}

TEST_F(Replay, ACaseThatTheSubjectDoesNotClaimIsSkipped) {
  EXPECT_EQ(run({"check", "mean-of-means", "--property", "unequal_counts", "--seed", "1", "--save",
                 "saved"})
                .status,
            1);
  for (const auto& entry : std::filesystem::directory_iterator(directory_ / "saved")) {
    const Ended ended = run({"replay", entry.path().string(), "pmean"});
    EXPECT_EQ(ended.status, 4) << ended.out << ended.err;
    EXPECT_EQ(ended.out,
              "SKIPPED  unequal_counts   pmean   " + entry.path().string() +
                  "\n  the case lies outside what pmean claims: condition unequal is not "
                  "claimed\n");
  }
}

TEST_F(Replay, ContributionsThatDoNotBelongToTheRowsAreRefused) {
  const std::string text = contents(saved_counterexample());
  const std::string file =
      write("a.json", with(text, "\"gradient\": [-2]", "\"gradient\": [8]")).string();
  for (const char* subject : {"psum", "ring"}) {
    expect_refused(run({"replay", file, subject}),
                   "shardproof replay: " + file + ": case: given[0][0][0].gradient[0]: 8");
  }
}

TEST_F(Replay, ABadFileAmongGoodOnesStopsEverythingBeforeItRuns) {
  const std::string file = saved_counterexample().string();
  expect_refused(run({"replay", file, write("bad.json", "{").string()}), "shardproof replay: ");
  expect_refused(run({"replay", file, "missing.json"}),
                 "shardproof replay: missing.json: cannot be read: No such file or directory");
  expect_refused(run({"replay", file, "rign"}), "shardproof replay: " + file + ": subject rign: ");
  expect_refused(run({"replay"}), "shardproof replay: no FILE");
  expect_refused(run({"replay", "psum"}), "shardproof replay: psum: cannot be read");
  expect_refused(run({"replay", directory_.string()}),
                 "shardproof replay: " + directory_.string() + ": is a directory");
}

TEST_F(Replay, EveryKindOfBadFileIsRefusedInOneLine) {
  const std::string text = contents(saved_counterexample());
  const struct {
    const char* what;
    std::string text;
  } files[] = {
      {"is empty", ""},
      {"an object is due", std::string("\x7F"
                                       "ELF\x02\x01\x00\xFF",
                                       8)},
      {"version: is 9", with(text, "\"version\": 1", "\"version\": 9")},
      {"format: ", with(text, "shardproof.case", "shardproof.report")},
      {"size is 1000000000", with(text, "\"size\": 2", "\"size\": 1000000000")},
      {"stands there twice", with(text, "\"seed\":", "\"seed\": 1, \"seed\":")},
      {"unknown key \"sede\"", with(text, "\"seed\":", "\"sede\":")},
      {"is no value of f32", with(text, "\"parameters\": [0", "\"parameters\": [1e-300")},
      {"is not finite", with(text, "\"parameters\": [0", "\"parameters\": [\"NaN\"")},
      {"entries", with(text, "\"mask\": [", "\"mask\": [1, ")},
      {"unknown; known: ", with(text, "\"subject\": \"psum\"", "\"subject\": \"rign\"")},
      {"no_such", with(text, "matches_reference", "no_such")},
      {"claim: ", with(text, "target=weighted-mean", "target=median")},
      {"the end of the file is due", text + "x"},
      {"the file ends", text.substr(0, text.size() / 2)},
  };
  for (const auto& [what, content] : files) {
    const std::string file = write("case.json", content).string();
    const Ended ended = run({"replay", file});
    expect_refused(ended, "shardproof replay: " + file);
    EXPECT_NE(ended.err.find(what), std::string::npos) << ended.err;
    EXPECT_LT(ended.err.size(), 1500U);
    expect_refused(run({"explain", file}), "shardproof explain: " + file);
  }
}

TEST_F(Replay, HugeRubbishIsRefusedInUnderASecond) {
  const std::filesystem::path file = directory_ / "huge.json";
  {
    std::ofstream out(file, std::ios::binary);
    const std::string piece(1 << 20, '[');
    for (int i = 0; i < 200; ++i) out << piece;
  }
  const Ended ended = run({"replay", file.string()});
  expect_refused(ended, "shardproof replay: " + file.string() + ": an object is due");
  EXPECT_LT(ended.seconds, 1.0);
}

TEST_F(Explain, ShowsEachLeafExactlyWithWhatWasReturned) {
  const std::string file = saved_counterexample().string();
  const Ended ended = run({"explain", file});
  EXPECT_EQ(ended.status, 0) << ended.err;
  for (const char* part :
       {"step 0: ", "kernel[0,0]   exact ", "mean of its rows", "weight 1/2",
        "every rank returned ", "2 times the exact value", "FAILED   matches_reference"}) {
    EXPECT_NE(ended.out.find(part), std::string::npos) << part << " in\n" << ended.out;
  }
}

}  // namespace
}  // namespace shardproof::testing
