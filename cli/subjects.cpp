#include "subjects.h"

#include <utility>

#include "shardproof/case/error.h"
#include "shardproof/properties/registry.h"
#include "shardproof/subject/builtin.h"
#include "shardproof/subject/library_subject.h"
#include "shardproof/subject/program.h"

namespace shardproof::cli {

namespace {

/// A path, where a built-in subject has a name.
bool is_library(std::string_view name) {
  return name.find('/') != std::string_view::npos || name.ends_with(".so");
}

std::unique_ptr<Subject> made(const SubjectRequest& request, const Launcher& launcher) {
  if (is_library(request.name)) return library_subject(request.name, launcher, request.startup);
  return make_builtin(request.name);
}

std::unique_ptr<Subject> started(const SubjectRequest& request, std::string_view settings) {
  const Launcher launcher{.memory = static_cast<std::uint64_t>(request.memory)};
  if (!request.command.empty()) {
    return program_subject({.command = request.command,
                            .launcher = launcher,
                            .startup = request.startup,
                            .warmup = request.warmup,
                            .claim = std::string(settings)});
  }
  std::unique_ptr<Subject> subject = made(request, launcher);
  if (!settings.empty()) {
    const Claim claim = with_settings(subject->claim(), settings);
    subject = with_claim(std::move(subject), claim);
  }
  subject->start();
  return subject;
}

}  // namespace

std::unique_ptr<Subject> make_subject(const SubjectRequest& request, std::string_view settings) {
  return started(request, settings);
}

std::unique_ptr<Subject> make_subject_of(const Counterexample& stored,
                                         const SubjectRequest& request, std::string_view place) {
  SubjectRequest wanted = request;
  if (wanted.name.empty() && wanted.command.empty()) wanted.name = stored.subject;
  try {
    std::unique_ptr<Subject> subject = started(wanted, "");
    // Another subject never made the promises of the one that the file is about.
    if (subject->name() != stored.subject) return subject;
    return with_claim(std::move(subject), with_settings(Claim{}, stored.claim));
  } catch (const InputError& error) {
    throw InputError(place, error.what());
  }
}

SharedCase problem_for(const Counterexample& stored, const Subject& subject) {
  Case problem = stored.problem;
  if (with_settings(Claim{}, stored.claim).input != subject.claim().input) problem.given.reset();
  return std::make_shared<const Case>(std::move(problem));
}

std::vector<Property> property_of(const Counterexample& stored, std::string_view place) {
  try {
    return matching_properties(stored.property);
  } catch (const InputError& error) {
    throw InputError(place, error.what());
  }
}

}  // namespace shardproof::cli
