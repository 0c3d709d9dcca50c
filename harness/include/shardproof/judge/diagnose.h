#pragma once

#include <span>
#include <string>
#include <vector>

#include "shardproof/judge/trial.h"

namespace shardproof {

/// A mistake whose formula predicts every wrong value.
struct Cause {
  std::string formula;  ///< `(1/P) sum_r mean_r`
  std::string meaning;  ///< `the mean of per-rank means`
  std::string effect;   ///< `a row of rank 1 weighs 3 times a row of rank 0`; may be empty
  std::string fix;
  int values = 0;  ///< wrong values, all of them predicted
  int cases = 0;   ///< on which they stand
  int unseen = 0;  ///< of those cases, such as the finding did not come from
};

/// Tests every known mistake by exact prediction: it is named when its exact value, with the error
/// bound of its own weights, accepts every value that the reference refutes, on every rank of every
/// trial.
///
/// \param trials  the first is the one that the finding came from; trials without results are
/// passed over \return        all that fit; none where no wrong gradient was returned or no known
/// mistake fits
std::vector<Cause> diagnose(std::span<const Trial> trials);

}  // namespace shardproof
