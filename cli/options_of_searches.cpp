#include <algorithm>

#include "option_readers.h"
#include "values.h"
#include "verb_options.h"

namespace shardproof::cli {

void add_soak(CLI::App& app, SoakRequest& to) {
  static constexpr int kMostJobs = 256;
  CLI::App& soak = *app.add_subcommand("soak", "Look for a right reduction that is refuted");
  on_text(soak, "--judgements", "Results of elements to judge (10000000)", "N",
          [&to](const auto& text) { to.judgements = large_number("--judgements", text); });
  on_text(soak, "--seed", "Same seed, same report (random; 0 where CI is set)", "N",
          [&to](const auto& text) { to.seed = seed("--seed", text); });
  on_text(soak, "--time", "Stop after this long", "SECONDS",
          [&to](const auto& text) { to.time = seconds("--time", text); });
  on_text(soak, "--jobs", "Threads that judge (2)", "N", [&to](const auto& text) {
    to.jobs = std::min(whole_number("--jobs", text, 1), kMostJobs);
  });
  on_path(soak, "--json", "Write a JSON report", "FILE", to.json);
  on_path(soak, "--save", "Write a false refutation into this directory", "DIR", to.save);
}

void add_mutate(CLI::App& app, MutateRequest& to) {
  CLI::App& mutate = *app.add_subcommand("mutate", "Judge every wrong subject by every property");
  on_text(mutate, "--seed", "Same seed, same report (0)", "N",
          [&to](const auto& text) { to.seed = seed("--seed", text); });
  on_text(mutate, "--seeds", "How many seeds from there on; the matrix is of the first (1)", "K",
          [&to](const auto& text) { to.seeds = whole_number("--seeds", text, 1); });
  on_text(mutate, "--cases", "Cases to draw for one subject (1000)", "N",
          [&to](const auto& text) { to.cases = whole_number("--cases", text, 1); });
  on_path(mutate, "--json", "Write the matrix as JSON", "FILE", to.json);
  on_path(mutate, "--markdown", "Write the matrix as Markdown", "FILE", to.markdown);
  mutate.add_flag("--quiet", to.quiet, "Print the laws and the summary only");
  mutate.add_flag("--minimality", to.minimality,
                  "Execute all simpler cases of a small domain instead (some minutes)");
}

}  // namespace shardproof::cli
