#pragma once

#include <optional>
#include <string>
#include <vector>

#include "judge/confinement.h"
#include "judge/evidence.h"
#include "judge/hypotheses.h"

namespace shardproof {

/// Which wrong values an explanation has to predict.
enum class Explained { everything, gradient, loss };

/// How a known fault explains the values.
struct Explanation {
  const Hypothesis* hypothesis = nullptr;
  int conditions = 0;  ///< the fewer, the simpler
  std::string where;
};

/// \return  nothing where some wrong value is not predicted
std::optional<Explanation> explanation(const Hypothesis& hypothesis, const Evidence& evidence,
                                       Explained explained);

}  // namespace shardproof
