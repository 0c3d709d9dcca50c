#include "option_readers.h"
#include "values.h"
#include "verb_options.h"

namespace shardproof::cli {

void add_generate(CLI::App& app, GenerateRequest& to) {
  CLI::App& generate =
      *app.add_subcommand("generate", "Print cases as JSON lines, to be executed elsewhere");
  on_text(generate, "--kind", "Of the subject: reducer, or train-step (reducer)", "KIND",
          [&to](const auto& text) {
            to.kind = second_of("--kind", text, "reducer", "train-step") ? SubjectKind::train_step
                                                                         : SubjectKind::reducer;
          });
  generate.add_option("--claim", to.claim, "What the subject claims, where not the usual")
      ->type_name("KEY=VALUE,...");
  on_text(generate, "--condition", "Conditions to draw: equal, unequal, padded, empty", "LIST",
          [&to](const auto& text) { to.draw.conditions = condition_set("--condition", text); });
  on_text(generate, "--dtype", "Dtypes to draw: f32, f64", "LIST",
          [&to](const auto& text) { to.draw.dtypes = dtypes("--dtype", text); });
  on_text(generate, "--world", "World sizes to draw", "A..B", [&to](const auto& text) {
    const WorldRange range = world_range("--world", text);
    to.world_asked_for = true;
    to.draw.min_world = range.least;
    to.draw.max_world = range.most;
  });
  on_text(generate, "--cases", "Cases to judge; those that belong to them come on top (200)", "N",
          [&to](const auto& text) { to.cases = whole_number("--cases", text, 1); });
  on_text(generate, "--seed", "Same seed, same cases (random; 0 where CI is set)", "N",
          [&to](const auto& text) { to.seed = seed("--seed", text); });
}

void add_judge(CLI::App& app, JudgeRequest& to) {
  CLI::App& judge = *app.add_subcommand("judge", "Judge results of generated cases");
  judge.add_option("CASES", to.cases, "What `shardproof generate` has printed");
  judge.add_option("RESULTS", to.results, "What the subject answered to it");
  judge.add_option("--property", to.properties, "Properties to judge, globs separated by commas")
      ->type_name("GLOB");
  on_path(judge, "--junit", "Write a JUnit report", "FILE", to.reports.junit);
  on_path(judge, "--json", "Write a JSON report", "FILE", to.reports.json);
  judge.add_flag("--quiet", to.quiet, "Print failures and the seed only");
}

}  // namespace shardproof::cli
