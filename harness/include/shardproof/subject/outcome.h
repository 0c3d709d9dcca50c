#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "shardproof/case/case.h"
#include "shardproof/case/piece.h"
#include "shardproof/world/world.h"

namespace shardproof {

/// What one rank hands to the reduction for one micro-batch.
struct Contribution {
  Tree gradient;     ///< of the claim's input form, in the case's dtype; absent leaves are zeros
  double loss = 0;   ///< of the same form: mean (or sum) over valid rows and outputs; pre-update
  ValidCount valid;  ///< rows that the mask keeps
  int rows = 0;      ///< padding included
  int step = 0;
  int micro_batch = 0;
  bool last = false;                 ///< the step's last micro-batch: the reducer answers it
  std::vector<std::uint8_t> absent;  ///< [layers], 1 where unused; empty: all used
};

/// What one rank returned for one step.
struct RankResult {
  Tree gradient;                   ///< reduced; only the rank's piece of it where that is claimed
  std::optional<double> loss;      ///< reduced like the gradient
  std::optional<double> count;     ///< valid rows of the step
  std::optional<double> norm;      ///< Euclidean norm of the whole returned tree, unclipped
  std::optional<Tree> parameters;  ///< after the update; train steps only
  /// Where the rank's piece lies; nothing: the claimed cut (`even_piece`). Read under
  /// `result=pieces` only.
  std::optional<Piece> piece = std::nullopt;
};

/// The first change that a subject made to its own inputs.
struct InputChange {
  Rank rank;
  int step = 0;
  int micro_batch = 0;
  std::string what;  ///< `kernel[2,1]`, `loss`, `x`, `mask`, ...
  double before = 0;
  double after = 0;
};

/// Every rank returned a result for every step.
struct Returned {
  std::vector<std::vector<RankResult>> results;  ///< [step][rank]
  /// [step][shard][micro-batch], as they were handed in; empty for train steps
  std::vector<std::vector<std::vector<Contribution>>> contributions;
  std::optional<InputChange> input_change;
};

/// An error on purpose: the subject refused the case.
struct Declined {
  Rank rank;
  int step = 0;
  std::string message;
};
struct Threw {
  Rank rank;
  int step = 0;
  std::string message;
};
/// No rank could go on. Ranks that are not among the waits had returned or failed.
struct Deadlocked {
  std::vector<Wait> waits;
};
/// Not proof, as opposed to all others: some rank had not come back when time ran out.
struct TimedOut {
  std::vector<Rank> stuck;
  bool killed = false;  ///< with its process, so that the subject can be run again
  std::string log{};    ///< the last of its stderr, where it is a process of its own
};
/// Its process ended before it had answered.
struct Died {
  int signal = 0;    ///< 0: by none
  std::string what;  ///< what follows `the subject`: `was killed by SIGSEGV`
  std::string log{};
};
/// Came back with something that is not a result: wrong shape, wrong number of results.
struct Misbehaved {
  Rank rank;
  int step = 0;
  std::string what;
  std::string log{};
};

using Outcome = std::variant<Returned, Declined, Threw, Deadlocked, TimedOut, Died, Misbehaved>;

}  // namespace shardproof
