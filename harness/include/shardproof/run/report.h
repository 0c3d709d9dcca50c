#pragma once

#include <span>
#include <string>

#include "shardproof/case/claim.h"
#include "shardproof/run/run.h"

namespace shardproof {

/// What a report states beside the result.
struct ReportHeader {
  std::string subject;
  SubjectKind kind = SubjectKind::reducer;
  Claim claim;
  std::uint64_t seed = 0;
  std::string found_file{};  ///< where the counterexample was saved; may be empty
  std::string minimal_file{};
  std::string replay_with{};  ///< what follows the file in the command that replays it
  bool brief = false;         ///< text: of the properties only those that fail
};

/// The report as a user reads it (one trailing newline), as JSON, and as JUnit XML. No clock, no
/// path of the machine but the saved files, so that a seed gives the same bytes.
std::string text_report(const ReportHeader& header, const RunResult& result);
std::string json_report(const ReportHeader& header, const RunResult& result);
std::string junit_report(const ReportHeader& header, const RunResult& result);

/// A case in a few lines: rank by rank, rows, parameters.
/// The learning rate stands there for train steps only.
std::string describe(const Case& problem, SubjectKind kind);

/// Which known faults predict the wrong values, where and on how many cases, and what to do; else
/// what was observed. A line each; empty where there is nothing to say.
std::string describe(const Diagnosis& diagnosis);

}  // namespace shardproof
