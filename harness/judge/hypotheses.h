#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

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
  bool of_leaves = false;     ///< says nothing of the loss, which is no leaf
  bool after_update = false;  ///< at the parameters after the step's update
  bool negated = false;       ///< the negative of what is predicted
};

std::span<const Hypothesis> known_hypotheses();

/// What ranks may return instead of their pieces, where pieces are claimed.
std::vector<Hypothesis> piece_hypotheses();

/// `times` the right result of the site.
Prediction multiple_of_gradient(std::uint64_t times, const ResultSite& site);

/// What parameters may be moved by, beside wrong gradients: each predicts a gradient.
std::span<const Hypothesis> update_hypotheses();

}  // namespace shardproof
