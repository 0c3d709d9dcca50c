#include <gtest/gtest.h>

#include "cli/program.h"

namespace shardproof::testing {
namespace {

using Usage = ProgramTest;

TEST_F(Usage, AnUnknownWordIsRefusedWithWhatIsKnown) {
  expect_refused(run({}),
                 "shardproof: no command; known: check, replay, explain, bound, claim, soak, list, "
                 "demo, mutate");
  expect_refused(run({"chekc"}), "shardproof: unknown command `chekc`; known: check, ");
  expect_refused(run({"check"}), "shardproof check: no SUBJECT");
  expect_refused(run({"check", "rign"}), "shardproof check: subject rign: unknown; known: ");
  expect_refused(run({"check", "ring:divide-twice"}), "shardproof check: ");
  expect_refused(run({"check", "sgd:psum"}),
                 "shardproof check: subject sgd:psum: sgd takes a topology, not 'psum'; known: ");
  expect_refused(run({"check", "ri\ng\x1b[31m"}), "shardproof check: subject ri g?[31m: unknown");
  expect_refused(run({"check", "ring", "--json", "a", "--junit", "a"}),
                 "shardproof check: --json a: is the file of --junit");
  expect_refused(run({"replay", ""}), "shardproof replay: the name of a file is empty");
  expect_refused(run({"check", "ring", "--property", "no_such*"}), "shardproof check: ");
  expect_refused(run({"check", "ring", "--claim", "targte=sum"}),
                 "shardproof check: claim: unknown key `targte`; keys are target, ");
  expect_refused(run({"check", "ring", "--claim", "target=median"}),
                 "shardproof check: claim: target: `median` is not allowed; allowed: ");
  expect_refused(run({"check", "ring", "--cases=10", "--sede", "1"}),
                 "shardproof check: unknown argument `--sede`; known: ");
  expect_refused(run({"check", "ring", "tree"}), "shardproof check: unknown argument `tree`");
  expect_refused(run({"list", "--all"}), "shardproof list: unknown argument `--all`");
  expect_refused(run({"check", "ring", "--jobs", "2"}),
                 "shardproof check: unknown argument `--jobs`");
}

TEST_F(Usage, AValueThatDoesNotFitIsRefusedWithWhatFits) {
  const struct {
    const char* option;
    const char* value;
    const char* line;
  } examples[] = {
      {"--cases", "0", "--cases must be at least 1"},
      {"--cases", "-3", "--cases must be at least 1"},
      {"--cases", "many", "--cases must be a whole number below 2^31, not `many`"},
      {"--cases", "1e3", "--cases must be a whole number below 2^31, not `1e3`"},
      {"--cases", "99999999999", "--cases must be a whole number below 2^31"},
      {"--world", "9..3", "--world 9..3 is empty: the first size must not exceed the second"},
      {"--world", "0", "--world must lie in 1 to 64, not at 0"},
      {"--world", "0..4", "--world must lie in 1 to 64, not at 0"},
      {"--world", "2..65", "--world must lie in 1 to 64, not at 65"},
      {"--world", "2..", "--world must be a world size `N` or a range `A..B`, not ``"},
      {"--world", "2...4", "--world must be a world size `N` or a range `A..B`, not `.4`"},
      {"--seed", "-1", "--seed must be a whole number from 0 to 2^64 - 1, not `-1`"},
      {"--seed", "18446744073709551616", "--seed must be a whole number from 0 to 2^64 - 1"},
      {"--time", "0", "--time must lie above 0"},
      {"--timeout", "nan", "--timeout must lie above 0"},
      {"--timeout", "soon", "--timeout must be a number of seconds, not `soon`"},
      {"--dtype", "f32,f8", "--dtype knows no `f8`; known: f64, f32"},
      {"--dtype", "", "--dtype knows no ``"},
      {"--condition", "equal,odd", "--condition knows no `odd`; known: equal, unequal, "},
      {"--junit", "no/such/directory.xml", "--junit no/such/directory.xml: there is no directory"},
      {"--json", ".", "--json .: is a directory"},
      {"--json", "", "--json must not be empty"},
      {"--junit", "", "--junit must not be empty"},
      {"--save", "", "--save must not be empty"},
  };
  for (const auto& [option, value, line] : examples) {
    expect_refused(run({"check", "ring", option, value}), std::string("shardproof check: ") + line);
  }
}

TEST_F(Usage, WhatLeavesNothingToDrawIsRefused) {
  expect_refused(run({"check", "pmean", "--condition", "unequal"}), "shardproof check: ");
  expect_refused(run({"check", "ring", "--claim", "world=2..4", "--world", "5..8"}),
                 "shardproof check: ");
}

TEST_F(Usage, HelpGoesToStdout) {
  const Ended ended = run({"--help"});
  EXPECT_EQ(ended.status, 0);
  EXPECT_NE(ended.out.find("check"), std::string::npos);
  const Ended of_check = run({"check", "--help"});
  EXPECT_EQ(of_check.status, 0);
  EXPECT_NE(of_check.out.find("--world"), std::string::npos);
}

TEST_F(Usage, ListNamesEverythingThatCanBeAskedFor) {
  const Ended ended = run({"list"});
  EXPECT_EQ(ended.status, 0);
  for (const char* name : {"ring", "psum", "sgd", "matches_reference", "unequal_counts", "padded",
                           "target=weighted-mean", "mean-over-ranks", "f64", "f32"}) {
    EXPECT_NE(ended.out.find(name), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace shardproof::testing
