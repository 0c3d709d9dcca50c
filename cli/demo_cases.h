#pragma once

#include "shardproof/case/case.h"

namespace shardproof::cli {

/// The check of pmean against psum on sixteen devices: 32 rows, x = arange(64).reshape(32, 2) / 32,
/// y = x @ [2, -1] + 1/4, w = 0, no bias; two rows a rank; f32.
Case sixteen_ranks();

/// The gradient reduction exercise: two shards whose mean gradients are kernel [[2, 4]], bias
/// [1, 3] and kernel [[6, 8]], bias [5, 7]; all parameters 0.
Case two_shards(double learning_rate);

}  // namespace shardproof::cli
