#pragma once

#include <span>
#include <vector>

#include "shardproof/judge/trial.h"
#include "shardproof/run/coverage.h"

namespace shardproof {

/// What the properties made of one case.
struct CoverageOfCase {
  bool applicable = false;  ///< some property applied
  bool judged = false;      ///< some property came to a verdict
};

/// Adds a case to the classes that hold of it. Where properties compared its gradient with the
/// reference, it is judged only if that came to a verdict.
/// \pre `counts` has one entry for each of `classes`, in order
void count_case(std::span<const CaseClass> classes, const Trial& base, const CoverageOfCase& met,
                std::span<ClassCount> counts);

/// Adds the cases that a property executed along with another, to the classes that only such cases
/// belong to.
void count_related(std::span<const CaseClass> classes, std::span<const Trial> related, bool judged,
                   std::span<ClassCount> counts);

/// Adds the power of a trial to that of its dtype and world size.
void count_power(const Trial& base, std::vector<ClassPower>& power);

}  // namespace shardproof
