#include "subjects.h"

#include <utility>

#include "shardproof/case/error.h"
#include "shardproof/properties/registry.h"
#include "shardproof/subject/builtin.h"
#include "shardproof/subject/program.h"

namespace shardproof::cli {

namespace {

std::unique_ptr<Subject> started(const SubjectRequest& request, std::string_view settings) {
  if (!request.command.empty()) {
    return program_subject({.command = request.command,
                            .launcher = {.memory = static_cast<std::uint64_t>(request.memory)},
                            .startup = request.startup,
                            .warmup = request.warmup,
                            .claim = std::string(settings)});
  }
  std::unique_ptr<Subject> subject = make_builtin(request.name);
  if (settings.empty()) return subject;
  const Claim claim = with_settings(subject->claim(), settings);
  return with_claim(std::move(subject), claim);
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
