#include "shardproof/properties/suite.h"

#include "shardproof/generators/coverage.h"
#include "shardproof/properties/registry.h"

namespace shardproof {

RunResult check(Subject& subject, CheckOptions options) {
  if (options.properties.empty()) {
    const std::span<const Property> all = all_properties();
    options.properties.assign(all.begin(), all.end());
  }
  options.run.draw = [&](int index) {
    return draw_case(options.seed, index, subject.claim(), subject.kind(), options.draw);
  };
  options.run.classes = classes_to_cover(subject.claim(), subject.kind(), options.draw);
  options.run.admits = [&](const Case& problem) { return admits(options.draw, problem); };
  // Causes are told apart on all that the claim admits, whatever was asked to be drawn.
  options.run.draw_for_diagnosis = [&](const Finding& finding) {
    return diagnosis_cases(subject.claim(), subject.kind(), *finding.minimal.problem,
                           *finding.found.problem);
  };
  return run(subject, options.properties, options.run);
}

}  // namespace shardproof
