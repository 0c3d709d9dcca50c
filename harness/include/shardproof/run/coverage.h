#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "shardproof/case/case.h"
#include "shardproof/case/dtype.h"

namespace shardproof {

/// Cases that have something in common, such as an empty rank: a run that judged none of them says
/// nothing about them.
struct CaseClass {
  std::string name;  ///< `empty rank`
  std::function<bool(const Case&)> holds;
  /// Such cases are not drawn: a property executes them along with another.
  bool only_related = false;
};

/// How often a class was met in a run.
struct ClassCount {
  std::string name;
  int drawn = 0;       ///< executed
  int applicable = 0;  ///< of those, some property applied to
  int judged = 0;      ///< of those, some property came to a verdict on
  bool only_related = false;
};

/// Whether a run was to judge such cases, but judged none. Not so where the properties that were
/// asked for leave all of them out.
bool uncovered(const ClassCount& count);

/// The power of the cases of one dtype and world size.
struct ClassPower {
  Dtype dtype = Dtype::f32;
  int world = 1;
  int judged = 0;             ///< cases whose gradient was compared and accepted
  int weak = 0;               ///< of those, could not have seen a denominator that is off by one
  double smallest_error = 0;  ///< relative; certain to be seen in one of them (infinity: none)
};

}  // namespace shardproof
