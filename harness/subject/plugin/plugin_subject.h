#pragma once

#include <memory>

#include "shardproof/subject/subject.h"
#include "subject/plugin/library.h"

namespace shardproof {

/// A subject of a plug-in in this very process: for workers, which may crash.
/// \throws InputError  when the claim does not fit its kind
std::unique_ptr<Subject> plugin_subject(std::shared_ptr<Library> library, Claim claim);

/// Whether a plug-in of that kind can be judged under the claim.
/// \throws InputError  saying why not
void check_fits(shardproof_kind kind, const Claim& claim);

/// What is under test, as the harness sees it.
SubjectKind subject_kind(shardproof_kind kind);

}  // namespace shardproof
