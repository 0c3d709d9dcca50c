#pragma once

#include <string>

#include "judge/element.h"
#include "shardproof/judge/trial.h"

namespace shardproof {

/// The shortest decimal that reads back to the same value of `dtype`, or of binary64 if it is none.
std::string shortest(Dtype dtype, double value);

/// The bits of a value in its dtype: `0x40400000`.
std::string bits(Dtype dtype, double value);

/// `every rank`, or `rank 2`.
std::string who(const Failure& failure);

/// Where a value of a step stands.
struct Place {
  FailureKind kind = FailureKind::wrong_gradient;
  int step = 0;
  int steps = 1;  ///< of the case; a step is named where there are several
  Rank rank;
  bool every_rank = false;
  std::string element;  ///< `kernel[0,1]`, `loss`
  std::string basis;
};

/// A refuted element as a failure whose sentence holds the numbers that prove it.
Failure refuted_element(const Place& place, const ElementReference& reference,
                        const ElementJudge& judge, double returned, const Trial& trial);

}  // namespace shardproof
