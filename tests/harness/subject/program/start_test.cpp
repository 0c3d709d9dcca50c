#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "harness/subject/program/scripts.h"
#include "shardproof/subject/launcher.h"
#include "shardproof/subject/program.h"

namespace shardproof {
namespace {

using namespace std::chrono_literals;
using test::python;

std::string start_error(ProgramOptions options) {
  options.startup = std::min<std::chrono::nanoseconds>(options.startup, 60s);
  try {
    program_subject(std::move(options));
    return "it started";
  } catch (const StartError& error) {
    return error.what();
  }
}

std::string start_error_of(const std::string& text) {
  ProgramOptions options = python(text);
  options.command[0] = "python3";
  const std::string name = "python3 -c " + text + ": ";
  std::string what = start_error(std::move(options));
  return what.starts_with(name) ? what.substr(name.size()) : what;
}

TEST(ProgramStart, WithoutAHelloIsNone) {
  const struct {
    const char* text;
    const char* begins;
  } examples[] = {
      {"pass", "exited with status 0 before it said hello"},
      {"import sys; sys.exit('no such\\nmodule')",
       "exited with status 1 before it said hello; the last line of its stderr: \"module\""},
      {"print('Loading')",
       "exited with status 0 before it said hello; its stdout begins with "
       "\"Loading\\n\""},
      {"import sys; print(sys.stdin.readline(), flush=True)",
       "its hello: key \"kind\" is missing; it begins with \"{\\\"shardproof\\\":1,"},
      {"print('{\"shardproof\": 2}')",
       "its hello: shardproof: the program speaks version 2 of the protocol, this shardproof "
       "speaks 1"},
      {"print('{oops')", "its hello: a string is due, found \"o\" at byte 2; it begins with"},
      {"print('{\"shardproof\":1,\"type\":\"hello\",\"kind\":\"loss\"}')",
       "its hello: kind: is no kind of subject; known: reducer, all_at_once, train_step"},
      {"print('{\"shardproof\":1,\"type\":\"hello\",\"kind\":\"reducer\",\"claim\":\"a=b\"}')",
       "what it claims: claim: unknown key `a`"},
  };
  for (const auto& example : examples) {
    const std::string what = start_error_of(example.text);
    EXPECT_TRUE(what.starts_with(example.begins)) << example.text << "\n  " << what;
  }
}

TEST(ProgramStart, OfASilentProgramIsNotWaitedForForGood) {
  ProgramOptions options = python("import time; time.sleep(1000)");
  options.command = {"sleep", "1000"};
  options.startup = 100ms;
  EXPECT_EQ(start_error(options), "sleep 1000: did not say hello within 0.1 s");
}

TEST(ProgramStart, OfNoProgramIsNone) {
  ProgramOptions options = python("");
  options.command = {"/nowhere/at/all"};
  EXPECT_EQ(start_error(options),
            "/nowhere/at/all: could not be started: No such file or directory");
}

}  // namespace
}  // namespace shardproof
