#include <cstdio>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "exit_status.h"
#include "interrupt.h"
#include "shardproof/case/claim.h"
#include "shardproof/properties/registry.h"
#include "shardproof/run/counterexample.h"
#include "shardproof/run/run.h"
#include "subjects.h"
#include "verbs.h"

namespace shardproof::cli {
namespace {

// Everything that one file asks for; made before anything runs.
struct Replay {
  std::string file;
  SharedCase problem;
  std::vector<Property> properties;
  std::unique_ptr<Subject> subject;
};

Replay load(const std::string& file, const ReplayRequest& request) {
  const Counterexample stored = load_counterexample(file);
  Replay replay{.file = file, .problem = {}, .properties = {}, .subject = {}};
  replay.subject = make_subject_of(stored, request.subject, file);
  replay.properties =
      request.properties ? matching_properties(*request.properties) : property_of(stored, file);
  replay.problem = problem_for(stored, *replay.subject);
  return replay;
}

struct Counts {
  int passed = 0;
  int failed = 0;
};

Verdict judged(Subject& subject, const Property& property, const SharedCase& problem,
               const Limits& limits) {
  if (const auto why = excluded_by(subject.claim(), *problem)) {
    return NotApplicable{"the case lies outside what " + subject.name() + " claims: " + *why};
  }
  int executions = 0;
  return check_case(subject, property, problem, limits, executions);
}

void run_one(Replay& replay, const Property& property, const Limits& limits, Counts& counts) {
  const Verdict verdict = judged(*replay.subject, property, replay.problem, limits);
  const std::string what = property.name + "   " + replay.subject->name() + "   " + replay.file;
  if (const auto* failure = std::get_if<Failure>(&verdict)) {
    ++counts.failed;
    std::printf("FAILED   %s\n  %s\n", what.c_str(), failure->sentence.c_str());
  } else if (const auto* skipped = std::get_if<NotApplicable>(&verdict)) {
    std::printf("SKIPPED  %s\n  %s\n", what.c_str(), skipped->reason.c_str());
  } else {
    ++counts.passed;
    std::printf("PASSED   %s\n", what.c_str());
  }
  std::fflush(stdout);
}

}  // namespace

int replay(const ReplayRequest& request) {
  std::vector<Replay> replays;
  for (const std::string& file : request.files) replays.push_back(load(file, request));
  catch_interrupts();
  const Limits limits{.timeout = request.timeout};
  Counts counts;
  for (Replay& each : replays) {
    for (const Property& property : each.properties) {
      if (interrupted()) return kInterrupted;
      if (!each.subject->usable()) break;
      run_one(each, property, limits, counts);
    }
  }
  if (counts.failed > 0) return kRefuted;
  if (counts.passed > 0) return kNothingRefuted;
  std::fputs("shardproof replay: nothing ran: no property applied to any case\n", stderr);
  return kNothingRan;
}

}  // namespace shardproof::cli
