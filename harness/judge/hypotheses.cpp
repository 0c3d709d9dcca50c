#include "judge/hypotheses.h"

#include <vector>

#include "shardproof/subject/fault_catalogue.h"

namespace shardproof {

std::span<const Hypothesis> known_hypotheses() {
  static const std::vector<Hypothesis> all = [] {
    std::vector<Hypothesis> hypotheses;
    for (const KnownFault& known : known_faults()) {
      hypotheses.push_back(
          {known.name, known.formula, known.meaning, known.fix,
           [&fault = known.fault](const ResultSite& site) { return predict(fault, site); }});
    }
    return hypotheses;
  }();
  return all;
}

}  // namespace shardproof
