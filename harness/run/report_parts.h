#pragma once

#include <string>
#include <string_view>

#include "shardproof/run/report.h"

namespace shardproof {

/// How a property stands after a run.
enum class Standing { passed, failed, skipped };

/// Skipped where it applied to no case.
Standing standing(const Tally& tally);

/// `PASSED`, `FAILED`, `SKIPPED`.
std::string_view word(Standing standing);

/// Why a property was skipped, in one sentence.
std::string skip_reason(const Tally& tally);

/// `1 rank`, `2 ranks`.
std::string counted(std::int64_t number, std::string_view noun);

/// How small a mistake the run could have seen, a line for each dtype.
std::string power_text(const RunResult& result);

/// The classes that were not covered with their counts, in one line without an end; empty where
/// none is missing.
std::string not_covered_text(const RunResult& result);

/// The last lines of what a subject wrote to stderr, each behind a bar; empty where it wrote none.
std::string log_text(std::string_view log);

/// The block that shows a finding: what fails, the case, the sentence, what was assumed, how to
/// replay it. Ends in a newline.
std::string finding_text(const ReportHeader& header, const Finding& finding);

}  // namespace shardproof
