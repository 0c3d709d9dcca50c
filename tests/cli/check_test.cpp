#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/program.h"

namespace shardproof::testing {
namespace {

using Check = ProgramTest;

bool has(const std::string& text, std::string_view what) {
  return text.find(what) != std::string::npos;
}

TEST_F(Check, ARightSubjectExitsWithZeroAndAWrongOneWithOne) {
  const Ended right = run({"check", "ring", "--seed", "1", "--cases", "50"});
  EXPECT_EQ(right.status, 0) << right.out << right.err;
  EXPECT_TRUE(has(right.out, "PASSED   matches_reference"));
  EXPECT_FALSE(has(right.out, "FAILED"));
  const Ended wrong =
      run({"check", "psum", "--claim", "world=2..16", "--seed", "1", "--cases", "50"});
  EXPECT_EQ(wrong.status, 1) << wrong.out << wrong.err;
  EXPECT_EQ(wrong.out.find("FAILED (refuted)  matches_reference   f32, 2 ranks, "), 0U)
      << wrong.out;
  EXPECT_TRUE(has(wrong.out, "assumed: target weighted mean"));
  EXPECT_EQ(wrong.err, "");
}

TEST_F(Check, AClaimOfLargeWorldsIsDrawnWithoutAskingForThem) {
  const Ended ended =
      run({"check", "mean-of-means", "--claim", "world=20..24", "--seed", "1", "--cases", "5"});
  EXPECT_EQ(ended.status, 1) << ended.out << ended.err;
  EXPECT_TRUE(has(ended.out, "f32, 20 ranks, ")) << ended.out;
}

TEST_F(Check, ReportsAreTheSameToTheByteForASeed) {
  for (const char* subject : {"ring", "mean-of-means"}) {
    const std::vector<std::string> arguments{"check",   subject, "--seed", "5",
                                             "--cases", "60",    "--json", "a.json",
                                             "--junit", "a.xml", "--save", "saved"};
    const Ended first = run(arguments);
    const std::string json = contents(directory_ / "a.json");
    const std::string junit = contents(directory_ / "a.xml");
    const Ended second = run(arguments);
    EXPECT_EQ(first.out, second.out);
    EXPECT_EQ(json, contents(directory_ / "a.json"));
    EXPECT_EQ(junit, contents(directory_ / "a.xml"));
    EXPECT_TRUE(nlohmann::json::parse(json).contains("finding"));
  }
}

TEST_F(Check, WithoutASeedItIsRandomAndPrintedAndZeroWhereCiIsSet) {
  const std::vector<std::string> arguments{"check", "sequential", "--cases", "1", "--quiet"};
  const Ended one = run(arguments);
  const Ended other = run(arguments);
  EXPECT_TRUE(has(one.out, "seed ")) << one.out;
  EXPECT_NE(one.out, other.out);
  EXPECT_TRUE(has(run(arguments, {"CI=true"}).out, "seed 0:"));
  EXPECT_FALSE(has(run(arguments, {"CI="}).out, "seed 0:"));
}

TEST_F(Check, WhereNothingAppliesItExitsWithFour) {
  const Ended ended = run({"check", "ring", "--property", "one_update_per_leaf", "--cases", "5"});
  EXPECT_EQ(ended.status, 4);
  EXPECT_TRUE(has(ended.out, "SKIPPED  one_update_per_leaf"));
  EXPECT_TRUE(has(ended.err, "nothing ran"));
}

TEST_F(Check, WhereAClassOfCasesWasNotJudgedItExitsWithFourAndSaysHowMany) {
  const Ended few = run({"check", "ring", "--seed", "1", "--cases", "5", "--json", "a.json"});
  EXPECT_EQ(few.status, 4) << few.out;
  EXPECT_TRUE(has(few.out, "not covered: ")) << few.out;
  EXPECT_TRUE(has(few.out, "one rank (0 of 0 cases judged)")) << few.out;
  const auto coverage = nlohmann::json::parse(contents(directory_ / "a.json"))["coverage"];
  for (const auto& of : coverage) EXPECT_EQ(of["missing"], of["judged"] == 0) << of;
  EXPECT_GT(coverage.size(), 10U);
  // What no property asked for is no gap.
  EXPECT_EQ(run({"check", "ring", "--property", "masked_count", "--cases", "50"}).status, 0);
  // A refutation weighs more.
  EXPECT_EQ(run({"check", "psum", "--seed", "1", "--cases", "5"}).status, 1);
}

TEST_F(Check, QuietLeavesOutWhatPassed) {
  const Ended ended = run({"check", "ring", "--seed", "3", "--cases", "50", "--quiet"});
  EXPECT_EQ(ended.status, 0);
  EXPECT_FALSE(has(ended.out, "PASSED"));
  EXPECT_TRUE(has(ended.out, "seed 3"));
}

TEST_F(Check, TheClaimOfTheUserReplacesThatOfTheSubject) {
  const std::vector<std::string> about{"--seed", "1",          "--cases",
                                       "30",     "--property", "matches_reference"};
  std::vector<std::string> arguments{"check", "mean-of-means", "--claim", "target=mean-over-ranks"};
  arguments.insert(arguments.end(), about.begin(), about.end());
  const Ended ended = run(arguments);
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
}

// Read by another program where there is one, since a reader of our own would share our mistakes.
TEST_F(Check, JunitIsXmlThatAnotherReaderAccepts) {
  for (const char* subject : {"psum", "ring"}) {
    EXPECT_LE(run({"check", subject, "--seed", "1", "--cases", "20", "--junit", "a.xml"}).status,
              1);
    const std::string script =
        "import sys, xml.etree.ElementTree as e\n"
        "root = e.parse(sys.argv[1]).getroot()\n"
        "suite = root.find('testsuite')\n"
        "cases = suite.findall('testcase')\n"
        "assert root.tag == 'testsuites' and len(cases) == int(suite.get('tests')) > 5\n"
        "assert sum(c.find('failure') is not None for c in cases) == int(suite.get('failures'))\n"
        "assert sum(c.find('skipped') is not None for c in cases) == int(suite.get('skipped'))\n"
        "assert (int(suite.get('failures')) > 0) == (sys.argv[2] == 'psum')\n";
    const std::string file = (directory_ / "a.xml").string();
    const std::string code = write("read.py", script).string();
    if (std::system("python3 -c '' 2>/dev/null") == 0) {
      EXPECT_EQ(std::system(("python3 " + code + ' ' + file + ' ' + subject).c_str()), 0);
    }
    const std::string xml = contents(file);
    EXPECT_EQ(xml.find("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites "), 0U);
    EXPECT_TRUE(xml.ends_with("</testsuites>\n"));
  }
}

TEST_F(Check, TheFirstAndTheSmallestCounterexampleAreSaved) {
  const std::filesystem::path smallest = saved_counterexample();
  const std::string stem = smallest.stem().string();
  const auto first =
      nlohmann::json::parse(contents(smallest.parent_path() / (stem + "-found.json")));
  const auto last = nlohmann::json::parse(contents(smallest));
  EXPECT_EQ(first["shrunk"], false);
  EXPECT_EQ(last["shrunk"], true);
  EXPECT_EQ(last["subject"], "psum");
  EXPECT_EQ(last["property"], "matches_reference");
  EXPECT_EQ(last["case"]["mesh"][0]["size"], 2);
  EXPECT_EQ(last["case"]["given"][0].size(), 2U);
}

TEST_F(Check, InterruptedItStillReports) {
  for (const int signal : {SIGINT, SIGTERM}) {
    std::filesystem::remove(directory_ / "a.json");
    Running running = start({"check", "ring", "--cases", "2000000000", "--json", "a.json"});
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    running.signal(signal);
    const Ended ended = running.wait();
    EXPECT_EQ(ended.status, 130);
    EXPECT_TRUE(has(ended.out, "stopped early")) << ended.out;
    EXPECT_EQ(nlohmann::json::parse(contents(directory_ / "a.json"))["stopped"], true);
  }
}

TEST_F(Check, AReportThatCannotBeWrittenIsAnErrorAndLosesNoOther) {
  const auto expect_error = [&](const std::vector<std::string>& command) {
    const Ended full = Running(command, directory_, {}, "/dev/full").wait();
    EXPECT_EQ(full.status, 2) << command[0];
    EXPECT_TRUE(has(full.err, "stdout: cannot be written")) << full.err;
    EXPECT_EQ(std::ranges::count(full.err, '\n'), 1) << full.err;
    EXPECT_EQ(Running(command, directory_, {}, "").wait().status, 2) << command[0];
  };
  const std::string file = saved_counterexample().string();
  expect_error({"check", "ring", "--cases", "3", "--seed", "1", "--json", "a.json"});
  expect_error({"list"});
  expect_error({"demo"});
  expect_error({"--help"});
  expect_error({"replay", file});
  expect_error({"explain", file});
  EXPECT_EQ(nlohmann::json::parse(contents(directory_ / "a.json"))["finding"], nullptr);
  const Ended ended = run({"check", "ring", "--cases", "3", "--json", "/dev/full"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_TRUE(has(ended.out, "PASSED   matches_reference")) << ended.out;
  EXPECT_EQ(ended.err, "shardproof check: /dev/full: cannot be written\n");
}

TEST_F(Check, TimeEndsARunWithoutMakingItFail) {
  const auto begin = std::chrono::steady_clock::now();
  const Ended ended = run({"check", "sequential", "--cases", "2000000000", "--time", "0.3"});
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_TRUE(has(ended.out, "stopped early"));
}

TEST_F(Check, DemoComesOutAsStated) {
  const Ended ended = run({"demo"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_TRUE(has(ended.out, "(-1519/512, -1557/512)"));
  EXPECT_TRUE(has(ended.out, "exactly 16 times the reference"));
  EXPECT_FALSE(has(ended.out, "WRONG"));
  EXPECT_LT(std::count(ended.out.begin(), ended.out.end(), '\n'), 60);
}

}  // namespace
}  // namespace shardproof::testing
