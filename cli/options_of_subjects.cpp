#include "values.h"
#include "verb_options.h"

namespace shardproof::cli {
namespace {

/// How a subject outside of the program is started.
void add_subject(VerbOptions& verb, SubjectRequest& to) {
  verb.text("--warmup", "Trials of a COMMAND that may take as long as its start (0)", "N",
            [&to](const auto& text) { to.warmup = whole_number("--warmup", text, 0); });
  verb.text("--startup", "Longest time until a COMMAND says hello (60)", "SECONDS",
            [&to](const auto& text) { to.startup = seconds("--startup", text); });
  verb.text("--memory", "What the processes of a COMMAND may hold; 0: no limit (4096)", "MIB",
            [&to](const auto& text) { to.memory = whole_number("--memory", text, 0); });
}

void add_named_subject(VerbOptions& verb, SubjectRequest& to) {
  verb.argument("SUBJECT", to.name,
                "A built-in subject; see `shardproof list`. Or -- COMMAND...: a program that "
                "speaks the protocol");
  add_subject(verb, to);
}

}  // namespace

void add_check(Verbs& verbs, CheckRequest& to) {
  VerbOptions& check = verbs.add("check", "Search for a case that refutes a subject");
  add_named_subject(check, to.subject);
  check.text("--property", "Properties to judge, globs separated by commas", "GLOB",
             [&to](const auto& text) { to.properties = text; });
  check.text("--condition", "Conditions to draw: equal, unequal, padded, empty", "LIST",
             [&to](const auto& text) { to.draw.conditions = condition_set("--condition", text); });
  check.text("--dtype", "Dtypes to draw: f32, f64", "LIST",
             [&to](const auto& text) { to.draw.dtypes = dtypes("--dtype", text); });
  check.text("--world", "World sizes to draw", "A..B", [&to](const auto& text) {
    const WorldRange range = world_range("--world", text);
    to.world_asked_for = true;
    to.draw.min_world = range.least;
    to.draw.max_world = range.most;
  });
  check.text("--claim", "What the subject claims, where not the usual", "KEY=VALUE,...",
             [&to](const auto& text) { to.claim = text; });
  check.text("--cases", "Cases to draw (1000)", "N",
             [&to](const auto& text) { to.cases = whole_number("--cases", text, 1); });
  check.text("--seed", "Same seed, same report (random; 0 where CI is set)", "N",
             [&to](const auto& text) { to.seed = seed("--seed", text); });
  check.text("--time", "Stop drawing cases after this long", "SECONDS",
             [&to](const auto& text) { to.time = seconds("--time", text); });
  check.text("--timeout", "Longest time for one execution (10)", "SECONDS",
             [&to](const auto& text) { to.timeout = seconds("--timeout", text); });
  check.path("--save", "Write counterexamples into this directory", "DIR", to.save);
  check.path("--junit", "Write a JUnit report", "FILE", to.reports.junit);
  check.path("--json", "Write a JSON report", "FILE", to.reports.json);
  check.flag("--quiet", to.quiet, "Print failures and the seed only");
}

void add_replay(Verbs& verbs, ReplayRequest& to) {
  VerbOptions& replay = verbs.add("replay", "Run saved counterexamples again");
  replay.argument("FILE", to.files,
                  "Counterexamples; a last argument that is no file is the SUBJECT to run, and so "
                  "is -- COMMAND...");
  add_subject(replay, to.subject);
  replay.text("--property", "Properties to judge (each file's own)", "GLOB",
              [&to](const auto& text) { to.properties = text; });
  replay.text("--timeout", "Longest time for one execution (10)", "SECONDS",
              [&to](const auto& text) { to.timeout = seconds("--timeout", text); });
}

void add_claim(Verbs& verbs, ClaimRequest& to) {
  VerbOptions& claim = verbs.add("claim", "Say what a subject may claim");
  add_named_subject(claim, to.subject);
  claim.text("--cases", "Cases to draw for each claim that is tried (300)", "N",
             [&to](const auto& text) { to.cases = whole_number("--cases", text, 1); });
  claim.text("--seed", "Same seed, same report (random; 0 where CI is set)", "N",
             [&to](const auto& text) { to.seed = seed("--seed", text); });
  claim.text("--dtype", "Dtypes to draw: f32, f64", "LIST",
             [&to](const auto& text) { to.draw.dtypes = dtypes("--dtype", text); });
  claim.text("--world", "World sizes to draw", "A..B", [&to](const auto& text) {
    const WorldRange range = world_range("--world", text);
    to.draw.min_world = range.least;
    to.draw.max_world = range.most;
  });
  claim.text("--timeout", "Longest time for one execution (10)", "SECONDS",
             [&to](const auto& text) { to.timeout = seconds("--timeout", text); });
}

}  // namespace shardproof::cli
