#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shardproof/subject/subject.h"

namespace shardproof {

/// A subject that comes with shardproof.
struct BuiltinSubject {
  std::string name;     ///< `ring`, `psum`, ...
  std::string summary;  ///< one line
  SubjectKind kind = SubjectKind::reducer;
  bool right = true;  ///< whether it keeps its claim
};

/// All of them, the right ones first.
std::span<const BuiltinSubject> builtin_subjects();

/// Makes a built-in subject. Right reducers take `TOPOLOGY[:SCALING[:ACCUMULATE]]`, such as
/// `ring:divide-before:f64`; `fault:ID` is a fault of the catalogue (`fault_catalogue.h`).
/// \throws InputError  naming the part that is unknown and what is known
std::unique_ptr<Subject> make_builtin(std::string_view name);

}  // namespace shardproof
