#pragma once

#include <functional>

#include "shardproof/generators/source.h"
#include "shardproof/subject/strategy.h"

namespace shardproof {

/// A right way to reduce that has a name (`parse_strategy` reads it back): topology, scaling and
/// accumulate dtype are drawn, the rest has its default.
Strategy draw_strategy(Source& source);

/// Whether `a` is strictly simpler than `b`: fewer parts other than the default, then parts that
/// stand earlier in their lists.
bool is_simpler(const Strategy& a, const Strategy& b);

/// Hands strictly simpler strategies to `visit`, boldest first, until it returns false.
void for_each_simpler(const Strategy& strategy, const std::function<bool(Strategy)>& visit);

}  // namespace shardproof
