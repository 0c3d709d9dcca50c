#pragma once

#include <string>
#include <string_view>

#include "exit_status.h"
#include "options.h"
#include "shardproof/run/report.h"

namespace shardproof::cli {

/// Refuses early what could not be written later. \throws InputError
void check_report_files(const ReportFiles& files);

/// Prints the report and writes it to the files.
void print_report(const ReportFiles& files, const ReportHeader& header, const RunResult& result);

/// What a run comes to.
ExitStatus status_of(std::string_view verb, const RunResult& result);

}  // namespace shardproof::cli
