#pragma once

#include <functional>

#include "shardproof/case/case.h"

namespace shardproof {

/// How simple a case is: the smaller, the simpler, compared in the documented order (steps, ranks,
/// micro-batches, rows, leaves, outputs, features; then counts, then values, then arrival).
class Simplicity;

/// Whether `a` is strictly simpler than `b`. A strict weak order without infinite descents.
bool is_simpler(const Case& a, const Case& b);

/// Hands cases that are strictly simpler than `problem` to `visit`, boldest first, until `visit`
/// returns false. Every one is valid; none equals `problem`. They depend on `problem` alone.
void for_each_simpler(const Case& problem, const std::function<bool(Case)>& visit);

}  // namespace shardproof
