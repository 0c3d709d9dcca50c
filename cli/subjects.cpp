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
    return with_claim(make_builtin(name), with_settings(Claim{}, stored.claim));
  } catch (const InputError& error) {
    throw InputError(place, error.what());
  }
}

std::vector<Property> property_of(const Counterexample& stored, std::string_view place) {
  try {
    return matching_properties(stored.property);
  } catch (const InputError& error) {
    throw InputError(place, error.what());
  }
}

}  // namespace shardproof::cli
