#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "shardproof/subject/prediction.h"

namespace shardproof {

/// A known fault, as far as it predicts results.
struct Hypothesis {
  std::string name;
  std::string formula;
  std::string meaning;
  std::string fix;
  /// Nothing where the fault says nothing about a result.
  std::function<std::optional<Prediction>(const ResultSite&)> predict;
};

std::span<const Hypothesis> known_hypotheses();

}  // namespace shardproof
