#include "subjects.h"

#include <utility>

#include "shardproof/case/error.h"
#include "shardproof/properties/registry.h"
#include "shardproof/subject/builtin.h"

namespace shardproof::cli {

std::unique_ptr<Subject> make_subject(std::string_view name, std::string_view settings) {
  std::unique_ptr<Subject> subject = make_builtin(name);
  if (settings.empty()) return subject;
  const Claim claim = with_settings(subject->claim(), settings);
  return with_claim(std::move(subject), claim);
}

std::unique_ptr<Subject> make_subject_of(const Counterexample& stored, std::string_view name,
                                         std::string_view place) {
  try {
    std::unique_ptr<Subject> subject = make_builtin(name);
    // Another subject never made the promises of the one that the file is about.
    if (name != stored.subject) return subject;
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
