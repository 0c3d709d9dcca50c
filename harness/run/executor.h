#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "shardproof/judge/property.h"
#include "shardproof/subject/subject.h"

namespace shardproof {

/// Executes and judges; counts what it executes.
class Executor {
 public:
  /// The subject, the limits and the count are borrowed.
  Executor(Subject& subject, const Limits& limits, int& executions)
      : subject_(subject),
        claim_(std::make_shared<const Claim>(subject.claim())),
        limits_(limits),
        executions_(executions) {}

  [[nodiscard]] Premise premise(const Case& problem) const {
    return {*claim_, subject_.kind(), problem};
  }

  Trial execute(SharedCase problem);
  /// The base trial for one property alone: without an outcome where it does not ask for one.
  Trial base_of(const Property& property, SharedCase problem);

  /// A verdict, and the related trials that it rests on.
  struct Checked {
    Verdict verdict;
    std::vector<Trial> related;
  };
  /// \pre the property applies to the base case
  Checked check(const Property& property, const Trial& base);

 private:
  Subject& subject_;
  std::shared_ptr<const Claim> claim_;
  const Limits& limits_;
  int& executions_;
};

/// Why the property does not apply, or nothing where it does.
std::optional<std::string> exclusion(const Property& property, const Premise& premise);

}  // namespace shardproof
