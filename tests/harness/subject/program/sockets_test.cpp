#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "harness/subject/cases.h"
#include "harness/subject/hand_case.h"
#include "harness/subject/program/scripts.h"
#include "shardproof/subject/launcher.h"

namespace shardproof {
namespace {

using namespace std::chrono_literals;
using test::two_ranks;

constexpr Limits kPatient{.timeout = 60s};

/// A program of `world` processes, each of which is a `rank` and has read a case `m`. `answer`
/// answers with the plain sum of the rank's own contributions and a hundred times its number.
std::string ranks(int world, const std::string& on_case, const std::string& hello = "",
                  const std::string& before = "") {
  const std::string said = hello.empty() ? "ranks=[rank], world=world" : hello;
  return R"(
import json, os, signal, socket, sys, time
world = )" +
         std::to_string(world) + R"(
print('a banner on stdout', flush=True)
)" + before +
         R"(
for rank in range(world):
    if os.fork() == 0: break
else:
    for _ in range(world): os.wait()
    os._exit(0)
end = socket.socket(socket.AF_UNIX)
end.connect(os.environ['SHARDPROOF_SOCKET'])
lines = end.makefile('r')
def say(**message): end.sendall((json.dumps(message) + '\n').encode())
def answer(m):
    say(type='result', id=m['id'], steps=[{'ranks': [{'gradient': [[
        sum(b['gradient'][0][0] for b in r['micro_batches']) + 100 * rank]]} for r in s['ranks']]}
        for s in m['steps']])
for line in lines:
    m = json.loads(line)
    if m['type'] == 'hello': say(shardproof=1, type='hello', kind='reducer', )" +
         said + R"()
    else: )" +
         on_case + R"(
os._exit(0)
)";
}

std::unique_ptr<Subject> of_ranks(int world, const std::string& on_case) {
  return program_subject(test::python(ranks(world, on_case)));
}

TEST(ProgramOfRanks, EveryRankSendsItsOwnResult) {
  const auto subject = of_ranks(2, "print('noise', flush=True); answer(m)");
  for (int i = 0; i < 3; ++i) {
    const auto results = results_of(*subject, two_ranks());
    EXPECT_EQ(gradient_of(results[0][0]), std::vector{2.0});
    EXPECT_EQ(gradient_of(results[0][1]), std::vector{108.0});
    EXPECT_EQ(gradient_of(results[1][0]), std::vector{18.0});
    EXPECT_EQ(gradient_of(results[1][1]), std::vector{132.0});
  }
}

TEST(ProgramOfRanks, ASmallerCaseLeavesTheOthersOut) {
  const auto subject = of_ranks(3, "answer(m)");
  EXPECT_EQ(subject->claim().max_world, 3);
  const auto results = results_of(*subject, two_ranks());
  ASSERT_EQ(results[0].size(), 2U);
  EXPECT_EQ(gradient_of(results[0][1]), std::vector{108.0});
}

TEST(ProgramOfRanks, OneProcessMayAnswerForSeveral) {
  const auto subject =
      program_subject(test::python(ranks(1, "answer(m)", "ranks=[1, 0], world=2")));
  const auto results = results_of(*subject, two_ranks());
  EXPECT_EQ(gradient_of(results[0][0]), std::vector{2.0});
  EXPECT_EQ(gradient_of(results[0][1]), std::vector{8.0});
}

TEST(ProgramOfRanks, OneProcessMayAnswerForAll) {
  const auto subject = program_subject(test::python(ranks(1, "answer(m)", "claim='target=sum'")));
  EXPECT_EQ(subject->claim().max_world, kMaxWorldSize);
  EXPECT_EQ(gradient_of(results_of(*subject, two_ranks())[0][1]), std::vector{8.0});
}

TEST(ProgramOfRanks, ARankThatFailsIsNamedThoughTheOthersWait) {
  const auto subject = of_ranks(
      2, "time.sleep(1000) if rank == 0 else say(type='error', id=m['id'], rank=1, message='bug')");
  const Outcome outcome = subject->run(two_ranks(), kPatient);
  ASSERT_TRUE(std::holds_alternative<Threw>(outcome)) << outcome.index();
  EXPECT_EQ(std::get<Threw>(outcome).rank, Rank{1});
}

TEST(ProgramOfRanks, ARankThatIsWrongIsNamed) {
  const auto subject =
      of_ranks(2, "answer(m) if rank == 0 else say(type='result', id=m['id'], steps=[])");
  const Outcome outcome = subject->run(two_ranks(), kPatient);
  ASSERT_TRUE(std::holds_alternative<Misbehaved>(outcome)) << outcome.index();
  EXPECT_EQ(std::get<Misbehaved>(outcome).rank, Rank{1});
  EXPECT_TRUE(std::holds_alternative<Misbehaved>(subject->run(two_ranks(), kPatient)));
}

TEST(ProgramOfRanks, ARankThatEndsIsADeath) {
  const auto subject = of_ranks(2, "answer(m) if rank == 0 else os._exit(1)");
  const Outcome outcome = subject->run(two_ranks(), kPatient);
  ASSERT_TRUE(std::holds_alternative<Died>(outcome)) << outcome.index();
  EXPECT_EQ(std::get<Died>(outcome).what,
            "closed its side of the conversation of rank 1 before it had answered");
  EXPECT_TRUE(subject->restart());
}

TEST(ProgramOfRanks, ARankThatHangsIsNamed) {
  const auto subject = of_ranks(2, "answer(m) if rank == 0 else time.sleep(1000)");
  const Outcome outcome = subject->run(two_ranks(), {.timeout = 300ms});
  ASSERT_TRUE(std::holds_alternative<TimedOut>(outcome)) << outcome.index();
  EXPECT_NE(std::ranges::find(std::get<TimedOut>(outcome).stuck, Rank{1}),
            std::get<TimedOut>(outcome).stuck.end());
}

std::string start_error(const std::string& text) {
  try {
    program_subject(test::python(text));
    return "it started";
  } catch (const StartError& error) {
    const std::string what = error.what();
    return what.substr(what.rfind("os._exit(0)\n: ") + 14);
  }
}

TEST(ProgramOfRanks, WhoseHellosDoNotFitIsNotStarted) {
  EXPECT_EQ(start_error(ranks(2, "answer(m)", "ranks=[0], world=2")), "rank 0 said hello twice");
  EXPECT_EQ(start_error(ranks(2, "answer(m)", "ranks=[rank], world=2 + rank")),
            "the hello of rank 1 differs in kind, claim or world from that of rank 0");
  EXPECT_EQ(start_error(ranks(1, "answer(m)", "ranks=[2], world=2")).substr(0, 48),
            "its hello: rank 2 lies outside a world of 2; it ");
  EXPECT_EQ(start_error(ranks(1, "answer(m)", "ranks=[0, 1], world=2, claim='world=4'")),
            "2 ranks have connected, the claim asks for 4");
}

TEST(ProgramOfRanks, NothingOfTheSocketIsLeft) {
  const std::filesystem::path directory =
      std::filesystem::path(::testing::TempDir()) / ("sockets" + std::to_string(getpid()));
  std::filesystem::create_directory(directory);
  ProgramOptions options = test::python(ranks(2, "answer(m)"));
  options.directory = directory.string();
  const auto subject = program_subject(std::move(options));
  EXPECT_TRUE(std::filesystem::is_empty(directory));
  EXPECT_TRUE(std::holds_alternative<Returned>(subject->run(two_ranks(), kPatient)));
  std::filesystem::remove(directory);
}

}  // namespace
}  // namespace shardproof
