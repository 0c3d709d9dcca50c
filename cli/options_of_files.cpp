#include "values.h"
#include "verb_options.h"

namespace shardproof::cli {

void add_generate(Verbs& verbs, GenerateRequest& to) {
  VerbOptions& generate =
      verbs.add("generate", "Print cases as JSON lines, to be executed elsewhere");
  generate.text("--kind", "Of the subject: reducer, or train-step (reducer)", "KIND",
                [&to](const auto& text) {
                  to.kind = second_of("--kind", text, "reducer", "train-step")
                                ? SubjectKind::train_step
                                : SubjectKind::reducer;
                });
  generate.text("--claim", "What the subject claims, where not the usual", "KEY=VALUE,...",
                [&to](const auto& text) { to.claim = text; });
  generate.text(
      "--condition", "Conditions to draw: equal, unequal, padded, empty", "LIST",
      [&to](const auto& text) { to.draw.conditions = condition_set("--condition", text); });
  generate.text("--dtype", "Dtypes to draw: f32, f64", "LIST",
                [&to](const auto& text) { to.draw.dtypes = dtypes("--dtype", text); });
  generate.text("--world", "World sizes to draw", "A..B", [&to](const auto& text) {
    const WorldRange range = world_range("--world", text);
    to.world_asked_for = true;
    to.draw.min_world = range.least;
    to.draw.max_world = range.most;
  });
  generate.text("--cases", "Cases to judge; those that belong to them come on top (200)", "N",
                [&to](const auto& text) { to.cases = whole_number("--cases", text, 1); });
  generate.text("--seed", "Same seed, same cases (random; 0 where CI is set)", "N",
                [&to](const auto& text) { to.seed = seed("--seed", text); });
}

void add_judge(Verbs& verbs, JudgeRequest& to) {
  VerbOptions& judge = verbs.add("judge", "Judge results of generated cases");
  judge.argument("CASES", to.cases, "What `shardproof generate` has printed");
  judge.argument("RESULTS", to.results, "What the subject answered to it");
  judge.text("--property", "Properties to judge, globs separated by commas", "GLOB",
             [&to](const auto& text) { to.properties = text; });
  judge.path("--junit", "Write a JUnit report", "FILE", to.reports.junit);
  judge.path("--json", "Write a JSON report", "FILE", to.reports.json);
  judge.flag("--quiet", to.quiet, "Print failures and the seed only");
}

}  // namespace shardproof::cli
