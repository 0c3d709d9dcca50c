#include "shardproof/properties/mutate.h"

#include <cstdio>
#include <string>
#include <vector>

#include "exit_status.h"
#include "interrupt.h"
#include "progress.h"
#include "shardproof/case/error.h"
#include "shardproof/properties/minimality.h"
#include "verbs.h"
#include "whole_file.h"

namespace shardproof::cli {
namespace {

void check_files(const MutateRequest& request) {
  if (!request.json.empty()) check_writable("--json", request.json);
  if (!request.markdown.empty()) check_writable("--markdown", request.markdown);
  if (!request.json.empty() && request.json == request.markdown) {
    throw InputError("", "--markdown " + request.markdown + ": is the file of --json");
  }
}

/// The matrix of the first seed; of further seeds only what is found, not shrunk.
KillMatrix matrix_of(const MutateRequest& request, const std::vector<Mutant>& mutants, int number) {
  Progress progress(request.quiet);
  MutateOptions options{.seed = request.seed + static_cast<std::uint64_t>(number),
                        .cases = request.cases};
  if (number > 0) {
    options.matrix_cases = 0;
    options.shrink_budget = 0;
  }
  options.on_progress = [&](int done, int of) { progress.show_subjects(done, of); };
  options.stop = interrupted;
  return mutate(mutants, options);
}

std::string of_further_seed(const KillMatrix& matrix) {
  const KillSummary s = summary(matrix);
  std::string text = "seed " + std::to_string(matrix.seed) + ": " +
                     std::to_string(s.numeric_refuted) + " of " + std::to_string(s.numeric) +
                     " numeric ones refuted; executions to find: median " +
                     std::to_string(s.median_executions_to_find) + ", at most " +
                     std::to_string(s.most_executions_to_find) + '\n';
  for (const std::string& survivor : s.numeric_survivors) text += "SURVIVED: " + survivor + '\n';
  return text;
}

/// Whether shrunk cases are the simplest ones: a line for each subject as soon as it is known.
int report_minimality(const MutateRequest& request) {
  bool all = true;
  for (const MinimalityQuestion& question : minimality_questions()) {
    const MinimalityAnswer found = answer(question, request.seed, interrupted);
    if (interrupted()) return kInterrupted;
    std::fputs(text_report(found).c_str(), stdout);
    std::fflush(stdout);
    all = all && minimal(found);
  }
  return all ? kNothingRefuted : kRefuted;
}

}  // namespace

int mutate(const MutateRequest& request) {
  check_files(request);
  catch_interrupts();
  if (request.minimality) return report_minimality(request);
  const std::vector<Mutant> mutants = all_mutants();
  const KillMatrix first = matrix_of(request, mutants, 0);
  bool complete = shardproof::complete(first);
  if (!request.json.empty()) write_whole_file(request.json, json_report(first));
  if (!request.markdown.empty()) write_whole_file(request.markdown, markdown_report(first));
  std::fputs((request.quiet ? brief_report(first) : text_report(first)).c_str(), stdout);
  for (int number = 1; number < request.seeds && !interrupted(); ++number) {
    const KillMatrix next = matrix_of(request, mutants, number);
    complete = complete && summary(next).numeric_survivors.empty();
    std::fputs(of_further_seed(next).c_str(), stdout);
  }
  if (interrupted()) return kInterrupted;
  return complete ? kNothingRefuted : kRefuted;
}

}  // namespace shardproof::cli
