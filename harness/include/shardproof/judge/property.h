#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "shardproof/judge/trial.h"

namespace shardproof {

/// Laws add power: each alone refutes some fault. Views compare with the reference under a named
/// condition and need no further execution.
enum class PropertyKind { law, view };

/// What a property may ask about before anything is executed.
struct Premise {
  const Claim& claim;
  SubjectKind kind;
  const Case& problem;
};

/// A named statement that every right subject keeps, as plain data.
struct Property {
  std::string name;
  std::string statement;  ///< one sentence that a user can quote
  PropertyKind kind = PropertyKind::view;
  /// Why it does not apply to a case, or nothing when it does.
  std::function<std::optional<std::string>(const Premise&)> excluded;
  /// Other cases to execute along with it; valid and inside the claim. May be empty.
  std::function<std::vector<Case>(const Premise&)> related;
  /// \param related  one trial for each related case, in order
  std::function<Verdict(const Trial& base, std::span<const Trial> related)> check;
  /// Whether `check` asks nothing of the base trial but its case, which need not be executed then.
  bool of_related_alone = false;
};

}  // namespace shardproof
