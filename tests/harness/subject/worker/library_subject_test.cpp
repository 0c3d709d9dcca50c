#include "shardproof/subject/library_subject.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <string>

#include "shardproof/case/error.h"
#include "shardproof/judge/judge.h"
#include "subject/process/descendants.h"

namespace shardproof {
namespace {

using namespace std::chrono_literals;

const Launcher kLauncher{.program = SHARDPROOF_PROGRAM, .memory = 512};
const Limits kLimits{.timeout = 60s};

/// Two ranks of one row each, one micro-batch a step.
SharedCase small_case(int ranks = 2) {
  Case problem;
  problem.model = {.features = 1, .layers = {{.outputs = 1, .bias = true}}, .parameters = {1, 0}};
  problem.dtype = Dtype::f64;
  problem.mesh.axes.front().size = ranks;
  Step& step = problem.steps.emplace_back();
  for (int r = 0; r < ranks; ++r) {
    step.shards.push_back(
        {.micro_batches = {{.x = {1.0 + r}, .y = {0}, .mask = {1}, .absent = {}}}});
  }
  return std::make_shared<const Case>(std::move(problem));
}

/// The subject of tests/harness/subject/worker/hostile.c that does `what` wrong.
class Hostile {
 public:
  explicit Hostile(const char* what) {
    setenv("HOSTILE", what, 1);
    // A sanitizer in the worker would make an exit status of a signal.
    for (const char* options : {"ASAN_OPTIONS", "TSAN_OPTIONS"}) {
      setenv(options, "handle_segv=0:handle_abort=0:detect_leaks=0", 1);
    }
    subject = library_subject(SHARDPROOF_HOSTILE, kLauncher);
    unsetenv("HOSTILE");
  }
  Outcome run(const SharedCase& problem, Limits limits = kLimits) {
    return subject->run(problem, limits);
  }
  /// A trial on one rank, which is not hostile: the subject goes on after what was.
  void expect_still_useful() { EXPECT_TRUE(std::holds_alternative<Returned>(run(small_case(1)))); }

  std::unique_ptr<Subject> subject;
};

template <class T>
T outcome_of(const char* what, Limits limits = kLimits) {
  Hostile hostile(what);
  const Outcome outcome = hostile.run(small_case(), limits);
  EXPECT_TRUE(std::holds_alternative<T>(outcome)) << what << " gave outcome " << outcome.index();
  hostile.expect_still_useful();
  return std::holds_alternative<T>(outcome) ? std::get<T>(outcome) : T{};
}

TEST(LibrarySubject, ReturnsWhatEveryRankReturned) {
  const auto returned = outcome_of<Returned>("nothing");
  ASSERT_EQ(returned.results.size(), 1U);
  ASSERT_EQ(returned.results[0].size(), 2U);
  // 2 x (x w - y) x for x = 1 and x = 2: 2 and 8.
  EXPECT_EQ(returned.results[0][1].gradient.values()[0], 5);
  EXPECT_EQ(returned.contributions[0][1][0].gradient.values()[0], 8);
}

TEST(LibrarySubject, DiesAloneOfASignal) {
  const Died died = outcome_of<Died>("SIGSEGV");
  EXPECT_EQ(died.signal, SIGSEGV);
  EXPECT_EQ(died.what, "was killed by SIGSEGV before it had answered");
  EXPECT_EQ(outcome_of<Died>("abort").signal, SIGABRT);
}

TEST(LibrarySubject, DiesAloneOfAnExit) {
  EXPECT_EQ(outcome_of<Died>("exit").what, "exited with status 7 before it had answered");
  EXPECT_EQ(outcome_of<Died>("_exit(0)").what, "exited with status 0 before it had answered");
}

TEST(LibrarySubject, DiesOfTheMemoryThatItTakes) {
  EXPECT_EQ(outcome_of<Died>("10 GB").what,
            "took more than 512 MiB of memory before it had answered");
}

TEST(LibrarySubject, DoesNotEndItsSupervisor) { outcome_of<Returned>("kill parent"); }

TEST(LibrarySubject, IsKilledWhenItDoesNotComeBack) {
  EXPECT_TRUE(outcome_of<TimedOut>("infinite loop", {.timeout = 100ms}).killed);
}

TEST(LibrarySubject, SaysWhereItIsDeadlocked) {
  const auto deadlocked = outcome_of<Deadlocked>("deadlock");
  EXPECT_EQ(deadlocked.waits.size(), 2U);
}

TEST(LibrarySubject, MayNotWriteOutsideItsBuffers) {
  EXPECT_NE(outcome_of<Misbehaved>("write behind").what.find("behind its end"), std::string::npos);
  EXPECT_NE(outcome_of<Misbehaved>("write before").what.find("8 bytes before its begin"),
            std::string::npos);
}

TEST(LibrarySubject, IsSeenToChangeItsInputs) {
  const auto returned = outcome_of<Returned>("change inputs");
  ASSERT_TRUE(returned.input_change);
  EXPECT_EQ(returned.input_change->what, "kernel[0,0]");
}

TEST(LibrarySubject, MayPrintWhatItLikes) {
  outcome_of<Returned>("stdout");
  outcome_of<Returned>("stderr");
}

TEST(LibrarySubject, DeclinesAndFailsInItsOwnWords) {
  EXPECT_EQ(outcome_of<Declined>("decline").message, "not today");
  EXPECT_EQ(outcome_of<Threw>("fail").message, "contribute failed: out of luck");
  EXPECT_EQ(outcome_of<Misbehaved>("no status").what, "contribute returned 17, which is no status");
}

TEST(LibrarySubject, IsJudgedByTheNaNThatItReturns) {
  Hostile hostile("bare NaN");
  const Trial trial(small_case(), std::make_shared<const Claim>(hostile.subject->claim()),
                    hostile.subject->kind(), hostile.run(small_case()));
  EXPECT_TRUE(std::holds_alternative<Failure>(judge_gradient(trial)));
}

TEST(LibrarySubject, BeginsAnewWhenAsked) {
  Hostile hostile("third trial");
  setenv("HOSTILE", "third trial", 1);
  for (int i = 0; i < 6; ++i) {
    EXPECT_TRUE(std::holds_alternative<Returned>(hostile.run(small_case())));
    if (i % 2 == 1) {
      EXPECT_TRUE(hostile.subject->restart());
    }
  }
  hostile.run(small_case());
  hostile.run(small_case());
  EXPECT_TRUE(std::holds_alternative<Died>(hostile.run(small_case())));
  unsetenv("HOSTILE");
}

TEST(LibrarySubject, LeavesNoProcessBehind) {
  {
    Hostile hostile("children");
    EXPECT_TRUE(std::holds_alternative<Died>(hostile.run(small_case())));
    hostile.expect_still_useful();
  }
  EXPECT_TRUE(descendants().empty());
}

/// Why a file is not started as a subject.
std::string refusal(const std::string& path) {
  try {
    library_subject(path, kLauncher);
  } catch (const StartError& error) {
    return error.what();
  }
  return "";
}

TEST(LibrarySubject, IsRefusedInOneLineWhereItIsNone) {
  const std::string path = testing::TempDir() + "no_library.so";
  EXPECT_NE(refusal(path + ".so").find("No such file"), std::string::npos);
  std::ofstream(path) << "nothing of the kind, and longer than any header has to be ..............";
  EXPECT_NE(refusal(path).find("invalid ELF header"), std::string::npos) << refusal(path);
  EXPECT_EQ(refusal(path).find('\n'), std::string::npos);
  EXPECT_NE(refusal("libm.so.6"), "");
}

}  // namespace
}  // namespace shardproof
