#pragma once

#include <array>
#include <string>

#include "shardproof/subject/prediction.h"

namespace shardproof {

/// Names that a factor may have on all results that are predicted: `P`, `1/P`, `K`, `1/K`.
class FactorNames {
 public:
  /// Keeps the names that fit this result, too.
  void narrow(const Prediction& prediction, const ResultSite& site);
  /// `P = `, or empty where no name fits all.
  [[nodiscard]] std::string text() const;

 private:
  std::array<bool, 4> fits_{true, true, true, true};
};

/// What a prediction comes to for a user: `a row of rank 1 weighs 3 times a row of rank 0`, `every
/// leaf is exactly P = 5 times the reference`, `rank 3 is missing`.
///
/// \param what   is predicted so, as the subject of a sentence: `every leaf`
/// \return       empty where there is nothing to add
std::string effect_of(const Prediction& prediction, const ResultSite& site, const std::string& what,
                      const FactorNames& names);

}  // namespace shardproof
