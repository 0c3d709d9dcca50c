#include <cctype>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "exit_status.h"
#include "interrupt.h"
#include "progress.h"
#include "run_report.h"
#include "seed.h"
#include "shardproof/case/error.h"
#include "shardproof/properties/registry.h"
#include "shardproof/properties/suite.h"
#include "shardproof/run/counterexample.h"
#include "shardproof/run/report.h"
#include "subjects.h"
#include "verbs.h"
#include "whole_file.h"

namespace shardproof::cli {
namespace {

using Clock = std::chrono::steady_clock;

// `ring:divide-before` would be an awkward file name.
std::string file_stem(std::string name) {
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-' && c != '_') c = '-';
  }
  return name;
}

// Writes counterexamples into the directory of --save.
class Saver {
 public:
  Saver(const CheckRequest& request, const Subject& subject, ReportHeader& header)
      : directory_(request.save), subject_(subject), header_(header) {
    if (directory_.empty()) return;
    std::error_code error;
    std::filesystem::create_directories(directory_, error);
    if (error) throw InputError("", "--save " + directory_ + ": " + error.message());
    check_writable("--save", (std::filesystem::path(directory_) / "case.json").string());
  }

  void found(const Finding& finding) {
    save(finding, finding.found, false, "-found.json", header_.found_file);
  }
  void shrunk(const Finding& finding) {
    save(finding, finding.minimal, true, ".json", header_.minimal_file);
  }

 private:
  void save(const Finding& finding, const Sighting& sighting, bool shrunk, const char* ending,
            std::string& file) {
    if (directory_.empty()) return;
    // Another machine or library may round local gradients in another way: what the reducer was
    // handed belongs to the case.
    Case problem = *sighting.problem;
    if (subject_.kind() == SubjectKind::reducer) {
      problem =
          with_contributions(std::move(problem), subject_.claim().input, subject_.claim().gradient);
    }
    const std::string name = file_stem(subject_.name()) + '-' + file_stem(finding.property) +
                             "-seed" + std::to_string(header_.seed) + "-case" +
                             std::to_string(finding.case_index) + ending;
    const std::string path = (std::filesystem::path(directory_) / name).string();
    save_counterexample(path, {.problem = std::move(problem),
                               .subject = subject_.name(),
                               .property = finding.property,
                               .claim = settings(subject_.claim()),
                               .seed = header_.seed,
                               .case_index = finding.case_index,
                               .shrunk = shrunk,
                               .failure = sighting.failure.sentence});
    file = path;
  }

  std::string directory_;
  const Subject& subject_;
  ReportHeader& header_;
};

// ` -- python3 'my file.py'`, as a shell takes it; empty where there is no command.
std::string command_line(const std::vector<std::string>& command) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%";
  std::string line = command.empty() ? "" : " --";
  for (const std::string& word : command) {
    line += ' ';
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

CheckOptions options_of(const CheckRequest& request, const Claim& claim, std::uint64_t seed) {
  CheckOptions options;
  options.properties = matching_properties(request.properties);
  options.seed = seed;
  options.draw = request.draw;
  if (!request.world_asked_for && claim.min_world > options.draw.max_world) {
    options.draw.max_world = claim.max_world;
  }
  options.run.cases = request.cases;
  options.run.limits.timeout = request.timeout;
  return options;
}

RunResult searched(Subject& subject, const CheckRequest& request, CheckOptions options,
                   Saver& saver) {
  Progress progress(request.quiet);
  const Clock::time_point begin = Clock::now();
  bool found = false;
  options.run.on_progress = [&](int cases, int executions) {
    progress.show(cases, request.cases, executions);
  };
  options.run.on_found = [&](const Finding& finding) {
    found = true;
    saver.found(finding);
  };
  // The time decides how many cases are drawn, and never how far one is shrunk.
  options.run.stop = [&] {
    return interrupted() || (!found && request.time && Clock::now() - begin >= *request.time);
  };
  RunResult result = check(subject, std::move(options));
  if (result.finding) saver.shrunk(*result.finding);
  return result;
}

}  // namespace

int check(const CheckRequest& request) {
  const std::unique_ptr<Subject> subject = make_subject(request.subject, request.claim);
  check_report_files(request.reports);
  const std::uint64_t seed = chosen_seed(request.seed);
  ReportHeader header{.subject = subject->name(),
                      .kind = subject->kind(),
                      .claim = subject->claim(),
                      .seed = seed,
                      .replay_with = command_line(request.subject.command),
                      .brief = request.quiet};
  CheckOptions options = options_of(request, subject->claim(), seed);
  Saver saver(request, *subject, header);
  catch_interrupts();
  const RunResult result = searched(*subject, request, std::move(options), saver);
  print_report(request.reports, header, result);
  return status_of("check", result);
}

}  // namespace shardproof::cli
