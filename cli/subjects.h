#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "options.h"
#include "shardproof/judge/property.h"
#include "shardproof/run/counterexample.h"
#include "shardproof/subject/subject.h"

namespace shardproof::cli {

/// The subject under its own claim, changed by `settings`.
/// \throws InputError                     when there is none, or the claim does not fit it
/// \throws StartError, std::system_error  when it cannot be started
std::unique_ptr<Subject> make_subject(const SubjectRequest& request, std::string_view settings);

/// The subject, or else the one of the counterexample: under the claim of the counterexample if it
/// is the one that was refuted, else under its own.
/// \throws  the same, InputError naming `place`
std::unique_ptr<Subject> make_subject_of(const Counterexample& stored,
                                         const SubjectRequest& request, std::string_view place);

/// The case of a counterexample as that subject is to be handed it: contributions of another form
/// than it takes are left out, so that they are computed.
SharedCase problem_for(const Counterexample& stored, const Subject& subject);

/// The property that a counterexample is about.
/// \throws InputError  naming `place`, when it is none of today's
std::vector<Property> property_of(const Counterexample& stored, std::string_view place);

}  // namespace shardproof::cli
