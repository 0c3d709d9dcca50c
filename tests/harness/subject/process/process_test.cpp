#include "subject/process/process.h"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace shardproof {
namespace {

using namespace std::chrono_literals;

const Launcher kLauncher{.program = SHARDPROOF_PROGRAM, .memory = 0};

Command shell(std::string script) { return {.arguments = {"/bin/sh", "-c", std::move(script)}}; }

auto within(std::chrono::seconds time) { return Process::Clock::now() + time; }

/// All that it prints until it closes its stdout.
std::string all_output(Process& process) {
  while (process.pump(within(60s)) == Process::Turn::moved) {
  }
  return process.received();
}

bool is_alive(long process) { return ::kill(static_cast<pid_t>(process), 0) == 0; }

TEST(Process, AnswersOnStdout) {
  Process process(kLauncher, shell("read line; echo \"got $line\""));
  process.send("a word\n");
  EXPECT_EQ(all_output(process), "got a word\n");
  EXPECT_EQ(process.finish(within(60s)), (ProcessEnd{ProcessEnd::How::exited, 0}));
}

TEST(Process, NeitherSideBlocksTheOther) {
  Process process(kLauncher, {.arguments = {"/bin/cat"}});
  const std::string sent(std::size_t{1} << 22, 'x');
  process.send(sent);
  process.close_input();
  EXPECT_EQ(all_output(process), sent);
}

TEST(Process, SaysHowItEnded) {
  Process three(kLauncher, shell("exit 3"));
  EXPECT_EQ(describe(three.finish(within(60s))), "exited with status 3");
  Process killed(kLauncher, shell("kill -SEGV $$"));
  EXPECT_EQ(describe(killed.finish(within(60s))), "was killed by SIGSEGV");
  Process missing(kLauncher, {.arguments = {"/nowhere/at/all"}});
  EXPECT_EQ(describe(missing.finish(within(60s))),
            "could not be started: No such file or directory");
}

TEST(Process, KeepsWhatItWroteToStderr) {
  Process process(kLauncher, shell("echo why >&2; exit 1"));
  process.finish(within(60s));
  EXPECT_EQ(process.errors(), "why\n");
}

TEST(Process, KeepsTheEndOfEndlessErrors) {
  Process process(kLauncher, shell("head -c 3000000 /dev/zero >&2; echo last >&2"));
  process.finish(within(60s));
  EXPECT_TRUE(process.errors().ends_with("last\n"));
  EXPECT_LT(process.errors().size(), std::size_t{1} << 18);
}

TEST(Process, IsOutOfTimeWhereNothingComes) {
  Process process(kLauncher, shell("sleep 1000"));
  EXPECT_EQ(process.pump(Process::Clock::now() + 10ms), Process::Turn::out_of_time);
  EXPECT_EQ(process.kill(), (ProcessEnd{ProcessEnd::How::signalled, SIGKILL}));
}

TEST(Process, TakesWhatItStartedAlongWhenItIsKilled) {
  Process process(kLauncher,
                  shell("trap '' TERM; (sleep 1000 & echo $! ; setsid sleep 1000 & echo $!); "
                        "echo end; sleep 1000"));
  while (!process.received().ends_with("end\n")) {
    ASSERT_EQ(process.pump(within(60s)), Process::Turn::moved);
  }
  char* next = process.received().data();
  const long first = std::strtol(next, &next, 10);
  const long second = std::strtol(next, &next, 10);
  ASSERT_TRUE(is_alive(first) && is_alive(second));
  process.kill();
  EXPECT_FALSE(is_alive(first));
  EXPECT_FALSE(is_alive(second));
}

TEST(Process, TakesWhatItStartedAlongWhenItEnds) {
  Process process(kLauncher, shell("setsid sleep 1000 & echo $!"));
  const std::string number = all_output(process);
  process.finish(within(60s));
  EXPECT_FALSE(is_alive(std::stol(number)));
}

TEST(Process, IsEndedByTheMemoryThatItTakes) {
  Launcher launcher = kLauncher;
  launcher.memory = 64;
  Process process(launcher, shell("x=$(head -c 300000000 /dev/zero | tr '\\0' x); sleep 1000"));
  EXPECT_EQ(describe(process.finish(within(60s))), "took more than 64 MiB of memory");
}

TEST(Process, OverAChannelItsStdoutIsNoAnswer) {
  Process process(kLauncher, {.arguments = {"/bin/sh", "-c", "echo rubbish; echo word >&3"},
                              .over_channel = true});
  EXPECT_EQ(all_output(process), "word\n");
  process.finish(within(60s));
  EXPECT_EQ(process.errors(), "rubbish\n");
}

TEST(Process, GetsVariablesBesideThoseOfTheHarness) {
  Process process(kLauncher, {.arguments = {"/bin/sh", "-c", "echo $WORD; test -n \"$PATH\""},
                              .environment = {{"WORD", "given"}}});
  EXPECT_EQ(all_output(process), "given\n");
  EXPECT_EQ(process.finish(within(60s)), (ProcessEnd{ProcessEnd::How::exited, 0}));
}

TEST(Process, ThatReadsNothingEndsNobody) {
  Process process(kLauncher, shell("exec 0<&-; echo ready; sleep 1000"));
  ASSERT_EQ(process.pump(within(60s)), Process::Turn::moved);
  process.send("into a pipe that nobody reads\n");
  process.pump(Process::Clock::now() + 10ms);
  EXPECT_FALSE(process.end());
}

}  // namespace
}  // namespace shardproof
