#pragma once

#include <vector>

#include "shardproof/case/case.h"

namespace shardproof {

/// Every value of a case but the learning rate: parameters, then rows.
std::vector<double*> values_of(Case& problem);

}  // namespace shardproof
