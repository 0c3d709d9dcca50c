#include "option_readers.h"
#include "values.h"
#include "verb_options.h"

namespace shardproof::cli {
namespace {

/// How a subject outside of the program is started.
void add_subject(CLI::App& verb, SubjectRequest& to) {
  on_text(verb, "--warmup", "Trials of a COMMAND that may take as long as its start (0)", "N",
          [&to](const auto& text) { to.warmup = whole_number("--warmup", text, 0); });
  on_text(verb, "--startup", "Longest time until a COMMAND says hello (60)", "SECONDS",
          [&to](const auto& text) { to.startup = seconds("--startup", text); });
  on_text(verb, "--memory", "What the processes of a COMMAND may hold; 0: no limit (4096)", "MIB",
          [&to](const auto& text) { to.memory = whole_number("--memory", text, 0); });
}

void add_named_subject(CLI::App& verb, SubjectRequest& to) {
  verb.add_option("SUBJECT", to.name,
                  "A built-in subject; see `shardproof list`. Or -- COMMAND...: a program that "
                  "speaks the protocol");
  add_subject(verb, to);
}

}  // namespace

void add_check(CLI::App& app, CheckRequest& to) {
  CLI::App& check = *app.add_subcommand("check", "Search for a case that refutes a subject");
  add_named_subject(check, to.subject);
  check.add_option("--property", to.properties, "Properties to judge, globs separated by commas")
      ->type_name("GLOB");
  on_text(check, "--condition", "Conditions to draw: equal, unequal, padded, empty", "LIST",
          [&to](const auto& text) { to.draw.conditions = condition_set("--condition", text); });
  on_text(check, "--dtype", "Dtypes to draw: f32, f64", "LIST",
          [&to](const auto& text) { to.draw.dtypes = dtypes("--dtype", text); });
  on_text(check, "--world", "World sizes to draw", "A..B", [&to](const auto& text) {
    const WorldRange range = world_range("--world", text);
    to.world_asked_for = true;
    to.draw.min_world = range.least;
    to.draw.max_world = range.most;
  });
  check.add_option("--claim", to.claim, "What the subject claims, where not the usual")
      ->type_name("KEY=VALUE,...");
  on_text(check, "--cases", "Cases to draw (1000)", "N",
          [&to](const auto& text) { to.cases = whole_number("--cases", text, 1); });
  on_text(check, "--seed", "Same seed, same report (random; 0 where CI is set)", "N",
          [&to](const auto& text) { to.seed = seed("--seed", text); });
  on_text(check, "--time", "Stop drawing cases after this long", "SECONDS",
          [&to](const auto& text) { to.time = seconds("--time", text); });
  on_text(check, "--timeout", "Longest time for one execution (10)", "SECONDS",
          [&to](const auto& text) { to.timeout = seconds("--timeout", text); });
  on_path(check, "--save", "Write counterexamples into this directory", "DIR", to.save);
  on_path(check, "--junit", "Write a JUnit report", "FILE", to.reports.junit);
  on_path(check, "--json", "Write a JSON report", "FILE", to.reports.json);
  check.add_flag("--quiet", to.quiet, "Print failures and the seed only");
}

void add_replay(CLI::App& app, ReplayRequest& to) {
  CLI::App& replay = *app.add_subcommand("replay", "Run saved counterexamples again");
  replay.add_option(
      "FILE", to.files,
      "Counterexamples; a last argument that is no file is the SUBJECT to run, and so "
      "is -- COMMAND...");
  add_subject(replay, to.subject);
  replay.add_option("--property", to.properties, "Properties to judge (each file's own)")
      ->type_name("GLOB");
  on_text(replay, "--timeout", "Longest time for one execution (10)", "SECONDS",
          [&to](const auto& text) { to.timeout = seconds("--timeout", text); });
}

void add_claim(CLI::App& app, ClaimRequest& to) {
  CLI::App& claim = *app.add_subcommand("claim", "Say what a subject may claim");
  add_named_subject(claim, to.subject);
  on_text(claim, "--cases", "Cases to draw for each claim that is tried (300)", "N",
          [&to](const auto& text) { to.cases = whole_number("--cases", text, 1); });
  on_text(claim, "--seed", "Same seed, same report (random; 0 where CI is set)", "N",
          [&to](const auto& text) { to.seed = seed("--seed", text); });
  on_text(claim, "--dtype", "Dtypes to draw: f32, f64", "LIST",
          [&to](const auto& text) { to.draw.dtypes = dtypes("--dtype", text); });
  on_text(claim, "--world", "World sizes to draw", "A..B", [&to](const auto& text) {
    const WorldRange range = world_range("--world", text);
    to.draw.min_world = range.least;
    to.draw.max_world = range.most;
  });
  on_text(claim, "--timeout", "Longest time for one execution (10)", "SECONDS",
          [&to](const auto& text) { to.timeout = seconds("--timeout", text); });
}

}  // namespace shardproof::cli
