#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <utility>

#include "exit_status.h"
#include "run_report.h"
#include "shardproof/case/error.h"
#include "shardproof/properties/records.h"
#include "shardproof/properties/registry.h"
#include "verbs.h"

namespace shardproof::cli {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file) throw InputError(path, "cannot be read");
  return text;
}

struct Results {
  std::vector<Recording> recordings{};
  std::size_t missing = 0;
  std::size_t first_missing = 0;  ///< id
};

Results results_of(const CasesFile& cases, std::vector<std::optional<Outcome>> outcomes) {
  Results results;
  for (std::size_t id = 0; id < outcomes.size(); ++id) {
    if (outcomes[id]) {
      results.recordings.push_back({cases.cases[id].problem, *std::move(outcomes[id])});
    } else if (results.missing++ == 0) {
      results.first_missing = id;
    }
  }
  return results;
}

void complain_of_missing(const Results& results, std::size_t cases, int left_out) {
  std::fprintf(stderr,
               "shardproof judge: %zu of %zu cases have no result, or not of every rank, the first "
               "of them case %zu; %d of those to be judged are left out\n",
               results.missing, cases, results.first_missing, left_out);
}

}  // namespace

int judge(const JudgeRequest& request) {
  check_report_files(request.reports);
  const std::vector<Property> properties = matching_properties(request.properties);
  const CasesFile cases = parse_cases(text_of(request.cases), request.cases);
  Results results =
      results_of(cases, parse_results(text_of(request.results), request.results, cases));
  const Claim claim = with_settings(Claim{}, cases.claim);
  Recorded subject(request.results, claim, cases.kind, std::move(results.recordings));
  const JudgedRecords judged = judge_records(subject, cases.cases, properties);
  print_report(request.reports,
               {.subject = subject.name(),
                .kind = cases.kind,
                .claim = claim,
                .seed = cases.seed,
                .brief = request.quiet},
               judged.result);
  if (results.missing > 0) complain_of_missing(results, cases.cases.size(), judged.left_out);
  const ExitStatus status = status_of("judge", judged.result);
  return status == kNothingRefuted && results.missing > 0 ? kNothingRan : status;
}

}  // namespace shardproof::cli
