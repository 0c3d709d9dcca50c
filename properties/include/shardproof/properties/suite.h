#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "shardproof/generators/cases.h"
#include "shardproof/judge/property.h"
#include "shardproof/run/run.h"

namespace shardproof {

/// A whole check of one subject: what to draw, what to judge, how much.
struct CheckOptions {
  std::vector<Property> properties{};  ///< empty: all
  std::uint64_t seed = 0;
  DrawOptions draw{};
  RunOptions run{};  ///< `draw`, `admits` and `draw_for_diagnosis` are filled in
};

/// Runs the properties over drawn cases.
/// \throws InputError  when claim and options leave nothing to draw
RunResult check(Subject& subject, CheckOptions options);

}  // namespace shardproof
