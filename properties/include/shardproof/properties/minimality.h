#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "shardproof/run/minimality.h"

namespace shardproof {

/// A wrong subject whose shrunk case is compared with every simpler one of a small domain.
struct MinimalityQuestion {
  std::string subject;
  SmallDomain domain{};
};

/// A dozen and more, of unlike families; a few domains are smaller, where there are three ranks.
std::vector<MinimalityQuestion> minimality_questions();

struct MinimalityAnswer {
  std::string subject;
  std::optional<Finding> finding{};  ///< nothing: it was not refuted
  Minimality proof{};
};

/// Searches for a case that refutes the subject, shrinks it, and executes all simpler ones.
MinimalityAnswer answer(const MinimalityQuestion& question, std::uint64_t seed,
                        const std::function<bool()>& stop);

/// Whether the shrunk case is the simplest one of its domain.
bool minimal(const MinimalityAnswer& answer);

/// One line with the counts; where a simpler case fails as well, both cases.
std::string text_report(const MinimalityAnswer& answer);

}  // namespace shardproof
