#pragma once

#include <optional>

#include "judge/element.h"
#include "shardproof/judge/trial.h"

namespace shardproof {

/// A parameter before and after one update.
struct Moved {
  double before = 0;
  double after = 0;
};

/// Whether `after` is no right update by `gradient` with the case's learning rate; nothing where
/// that cannot be said.
std::optional<bool> is_wrong_update(const Trial& trial, const Arithmetic& arithmetic,
                                    const ElementReference& gradient, const Moved& moved);

}  // namespace shardproof
