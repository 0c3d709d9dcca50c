// Programs in other languages, from the command line.

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>

#include "cli/program.h"

namespace shardproof::testing {
namespace {

namespace fs = std::filesystem;

class Programs : public ProgramTest {
 protected:
  static std::string source(const std::string& file) {
    return contents(fs::path(SHARDPROOF_SOURCE) / file);
  }
  /// The example of the README, with one thing in place of another.
  [[nodiscard]] std::string example(const std::string& what = "",
                                    const std::string& instead = "") const {
    std::string text = source("tests/examples/plain_reducer.py");
    if (!what.empty()) text.replace(text.find(what), what.size(), instead);
    return write("reducer.py", text).string();
  }
  [[nodiscard]] Ended check(const std::string& file, std::vector<std::string> options = {}) const {
    options.insert(options.begin(), {"check", "--seed", "1", "--cases", "200"});
    options.insert(options.end(), {"--", "/usr/bin/python3", file});
    return run(options);
  }
};

TEST_F(Programs, TheExampleWithTheStandardLibraryAloneIsConsistent) {
  const Ended ended = check(example());
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("subject /usr/bin/python3 "), std::string::npos) << ended.out;
}

TEST_F(Programs, AWrongOneIsRefutedWithItsCauseAndReplays) {
  const std::string file = example("sum(batch[\"valid\"] for batch in batches) or 1",
                                   "sum(batch[\"rows\"] for batch in batches) or 1");
  const std::string wrong = contents(file);
  const Ended ended = check(file, {"--save", "saved"});
  EXPECT_EQ(ended.status, 1) << ended.out << ended.err;
  EXPECT_EQ(ended.out.find("FAILED (refuted)  matches_reference"), 0U) << ended.out;
  EXPECT_NE(ended.out.find("predicted by: "), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("padd"), std::string::npos) << ended.out;
  for (const auto& entry : fs::directory_iterator(directory_ / "saved")) {
    const Ended again = run({"replay", entry.path().string(), "--", "/usr/bin/python3", file});
    EXPECT_EQ(again.status, 1) << again.out << again.err;
    const Ended right = run({"replay", entry.path().string(), "--", "/usr/bin/python3", example()});
    EXPECT_EQ(right.status, 0) << right.out << right.err;
    write("reducer.py", wrong);
  }
}

TEST_F(Programs, AReportSaysHowToReplayItAndItCanBeExplained) {
  const std::string file = example(" / total, dtype)", " / (total + 1), dtype)");
  const Ended ended = check(file, {"--save", "saved", "--quiet"});
  const std::size_t at = ended.out.find("replay: shardproof replay ");
  ASSERT_NE(at, std::string::npos) << ended.out;
  const std::string line = ended.out.substr(at, ended.out.find('\n', at) - at);
  EXPECT_TRUE(line.ends_with(" -- /usr/bin/python3 " + file)) << line;
  const std::string saved = line.substr(26, line.find(" -- ") - 26);
  const Ended explained = run({"explain", saved, "--", "/usr/bin/python3", file});
  EXPECT_EQ(explained.status, 0) << explained.err;
  EXPECT_NE(explained.out.find("FAILED   matches_reference"), std::string::npos) << explained.out;
}

// Also where the harness cannot clean up.
TEST_F(Programs, NothingIsLeftOfAKilledHarness) {
  write("silent.py",
        "import os, time\n"
        "open('pid', 'w').write(str(os.getpid()))\n"
        "open('path', 'w').write(os.environ['SHARDPROOF_SOCKET'] + '\\n')\n"
        "time.sleep(1000)\n");
  Running harness = start({"check", "--", "/usr/bin/python3", "silent.py"});
  const auto wait_for = [](const std::function<bool()>& what) {
    for (int i = 0; i < 6000 && !what(); ++i) usleep(10'000);
    return what();
  };
  ASSERT_TRUE(wait_for([&] { return contents(directory_ / "path").ends_with('\n'); }));
  std::string path = contents(directory_ / "path");
  path.pop_back();
  const auto pid = static_cast<pid_t>(std::stol(contents(directory_ / "pid")));
  EXPECT_TRUE(fs::exists(path));
  EXPECT_EQ(fs::status(fs::path(path).parent_path()).permissions(), fs::perms::owner_all);
  harness.signal(SIGKILL);
  static_cast<void>(harness.wait());
  EXPECT_TRUE(wait_for([&] { return kill(pid, 0) != 0; }));
  EXPECT_TRUE(wait_for([&] { return !fs::exists(fs::path(path).parent_path()); }));
}

TEST_F(Programs, TheEndOfItsStderrIsShownWhereItFailsOnly) {
  const std::string noise = "print('on stderr', file=sys.stderr)\nfor line in sys.stdin:\n";
  const Ended right = check(example("for line in sys.stdin:\n", noise));
  EXPECT_EQ(right.status, 0) << right.out << right.err;
  EXPECT_EQ((right.out + right.err).find("on stderr"), std::string::npos);
  const Ended wrong = check(example("    print(json.dumps(answer)",
                                    "    if message['type'] == 'case': sys.exit('on stderr')\n"
                                    "    print(json.dumps(answer)"));
  EXPECT_EQ(wrong.status, 1) << wrong.out << wrong.err;
  EXPECT_EQ(wrong.out.find("FAILED (crashed)  matches_reference"), 0U) << wrong.out;
  EXPECT_NE(wrong.out.find("the subject exited with status 1 before it had answered\n"),
            std::string::npos)
      << wrong.out;
  EXPECT_NE(wrong.out.find("| on stderr\n"), std::string::npos) << wrong.out;
}

TEST_F(Programs, WhatCannotBeStartedIsOneLineAndStatusThree) {
  const auto refused = [this](std::vector<std::string> arguments, const std::string& line) {
    const Ended ended = run(std::move(arguments));
    EXPECT_EQ(ended.status, 3) << ended.out << ended.err;
    EXPECT_EQ(ended.out, "");
    EXPECT_EQ(ended.err.find(line), 0U) << ended.err;
    EXPECT_EQ(ended.err.find('\n'), ended.err.size() - 1) << ended.err;
  };
  refused({"check", "--", "/nowhere/at/all"},
          "shardproof check: the subject could not be started: /nowhere/at/all: could not be "
          "started: No such file or directory\n");
  refused({"check", "--", "/usr/bin/python3", "none.py"},
          "shardproof check: the subject could not be started: /usr/bin/python3 none.py: exited "
          "with status 2 before it said hello; the last line of its stderr: ");
  refused({"check", "--startup", "0.1", "--", "sleep", "100"},
          "shardproof check: the subject could not be started: sleep 100: did not say hello "
          "within 0.1 s\n");
}

TEST_F(Programs, ACommandThatDoesNotBelongIsRefused) {
  expect_refused(run({"check", "--"}), "shardproof check: no COMMAND after `--`");
  expect_refused(run({"check", "ring", "--", "cat"}),
                 "shardproof check: both a SUBJECT, `ring`, and a COMMAND");
  expect_refused(run({"list", "--", "cat"}), "shardproof list: takes no COMMAND");
  expect_refused(run({"check", "--warmup", "few", "--", "cat"}), "shardproof check: --warmup must");
}

TEST_F(Programs, InitWritesOneThatRunsAndNeverOverwritesAFile) {
  if (std::system("/usr/bin/python3 -c 'import numpy' 2>/dev/null") != 0) {
    GTEST_SKIP() << "python3-numpy is not installed";
  }
  const Ended written = run({"init", "python", "mine.py"});
  EXPECT_EQ(written.status, 0) << written.err;
  EXPECT_EQ(written.out,
            "wrote mine.py: fill in the places marked FILL IN\n"
            "wrote shardproof.py, which it imports\n"
            "run   shardproof check -- python3 mine.py\n");
  EXPECT_EQ(contents(directory_ / "shardproof.py"), source("cli/share/shardproof.py"));
  const Ended ended = check("mine.py");
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  expect_refused(run({"init", "python", "mine.py"}),
                 "shardproof init: mine.py is there already, and is not overwritten");
  expect_refused(run({"init", "pythn"}), "shardproof init: no such KIND of file: `pythn`; known: ");
  expect_refused(run({"init"}), "shardproof init: no KIND of file; known: ");
}

TEST_F(Programs, InitWritesAPlugInThatCompilesAndKeepsItsClaim) {
  const Ended written = run({"init", "c"});
  EXPECT_TRUE(
      written.out.starts_with("wrote my_reducer.c: fill in the places marked FILL IN\n"
                              "wrote shardproof_plugin.h, which it includes\n"))
      << written.out;
  const std::string compile = "cd '" + directory_.string() +
                              "' && cc -std=c11 -Wall -Wextra -Werror -O2 -ffp-contract=off -fPIC "
                              "-shared my_reducer.c -o libmy_reducer.so";
  ASSERT_EQ(std::system(compile.c_str()), 0);
  const Ended ended = run({"check", "./libmy_reducer.so", "--seed", "1", "--cases", "200"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
}

TEST_F(Programs, EveryTemplateIsOfferedAndIsPython) {
  for (const char* kind : {"python", "torch-hook", "torch-step", "jax-step"}) {
    const std::string file = std::string(kind) + ".py";
    EXPECT_EQ(run({"init", kind, file}).status, 0);
    EXPECT_NE(contents(directory_ / file).find("FILL IN"), std::string::npos);
    const std::string compile = "/usr/bin/python3 -m py_compile " + (directory_ / file).string();
    EXPECT_EQ(std::system(compile.c_str()), 0);
  }
}

TEST_F(Programs, TheTemplatesForTorchAreConsistent) {
  if (std::system("/usr/bin/python3 -c 'import torch' 2>/dev/null") != 0) {
    GTEST_SKIP() << "python3-torch is not installed";
  }
  for (const char* kind : {"torch-hook", "torch-step"}) {
    const std::string file = std::string(kind) + ".py";
    ASSERT_EQ(run({"init", kind, file}).status, 0);
    const Ended ended = run({"check", "--seed", "1", "--cases", "20", "--", "/usr/bin/python3",
                             "shardproof.py", "--ranks", "4", file},
                            {"OMP_NUM_THREADS=1"});
    EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  }
}

}  // namespace
}  // namespace shardproof::testing
