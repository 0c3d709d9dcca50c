#include "run_report.h"

#include <cstdio>

#include "interrupt.h"
#include "shardproof/case/error.h"
#include "whole_file.h"

namespace shardproof::cli {
namespace {

bool nothing_ran(const RunResult& result) {
  for (const Tally& tally : result.tallies) {
    if (tally.passed + tally.failed > 0) return false;
  }
  return true;
}

}  // namespace

ExitStatus status_of(std::string_view verb, const RunResult& result) {
  if (interrupted()) return kInterrupted;
  if (result.finding) return kRefuted;
  if (nothing_ran(result)) {
    std::fprintf(stderr, "shardproof %s: nothing ran: no property applied to any case\n",
                 std::string(verb).c_str());
    return kNothingRan;
  }
  return not_covered(result).empty() ? kNothingRefuted : kNothingRan;
}

void check_report_files(const ReportFiles& files) {
  if (!files.junit.empty()) check_writable("--junit", files.junit);
  if (!files.json.empty()) check_writable("--json", files.json);
  if (!files.junit.empty() && files.junit == files.json) {
    throw InputError("", "--json " + files.json + ": is the file of --junit");
  }
}

// The files first: whoever reads stdout may leave after the first line, which ends this program.
void print_report(const ReportFiles& files, const ReportHeader& header, const RunResult& result) {
  const std::string text = text_report(header, result);
  try {
    if (!files.junit.empty()) write_whole_file(files.junit, junit_report(header, result));
    if (!files.json.empty()) write_whole_file(files.json, json_report(header, result));
  } catch (const InputError&) {
    std::fputs(text.c_str(), stdout);
    throw;
  }
  std::fputs(text.c_str(), stdout);
}

}  // namespace shardproof::cli
