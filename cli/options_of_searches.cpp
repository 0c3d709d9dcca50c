#include <algorithm>

#include "values.h"
#include "verb_options.h"

namespace shardproof::cli {

void add_soak(Verbs& verbs, SoakRequest& to) {
  static constexpr int kMostJobs = 256;
  VerbOptions& soak = verbs.add("soak", "Look for a right reduction that is refuted");
  soak.text("--judgements", "Results of elements to judge (10000000)", "N",
            [&to](const auto& text) { to.judgements = large_number("--judgements", text); });
  soak.text("--seed", "Same seed, same report (random; 0 where CI is set)", "N",
            [&to](const auto& text) { to.seed = seed("--seed", text); });
  soak.text("--time", "Stop after this long", "SECONDS",
            [&to](const auto& text) { to.time = seconds("--time", text); });
  soak.text("--jobs", "Threads that judge (2)", "N", [&to](const auto& text) {
    to.jobs = std::min(whole_number("--jobs", text, 1), kMostJobs);
  });
  soak.path("--json", "Write a JSON report", "FILE", to.json);
  soak.path("--save", "Write a false refutation into this directory", "DIR", to.save);
}

void add_mutate(Verbs& verbs, MutateRequest& to) {
  VerbOptions& mutate = verbs.add("mutate", "Judge every wrong subject by every property");
  mutate.text("--seed", "Same seed, same report (0)", "N",
              [&to](const auto& text) { to.seed = seed("--seed", text); });
  mutate.text("--seeds", "How many seeds from there on; the matrix is of the first (1)", "K",
              [&to](const auto& text) { to.seeds = whole_number("--seeds", text, 1); });
  mutate.text("--cases", "Cases to draw for one subject (1000)", "N",
              [&to](const auto& text) { to.cases = whole_number("--cases", text, 1); });
  mutate.path("--json", "Write the matrix as JSON", "FILE", to.json);
  mutate.path("--markdown", "Write the matrix as Markdown", "FILE", to.markdown);
  mutate.flag("--quiet", to.quiet, "Print the laws and the summary only");
  mutate.flag("--minimality", to.minimality,
              "Execute all simpler cases of a small domain instead (some minutes)");
}

}  // namespace shardproof::cli
