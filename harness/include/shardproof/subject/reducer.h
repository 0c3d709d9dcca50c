#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "shardproof/case/claim.h"
#include "shardproof/subject/outcome.h"
#include "shardproof/world/communicator.h"

namespace shardproof {

/// What a reducer answers to the last micro-batch of a step. Only the gradient is required.
struct Reduced {
  Tree gradient;  ///< under `result=pieces` only the rank's piece of it is read
  std::optional<double> loss;
  std::optional<double> count;
  std::optional<double> norm;  ///< of the whole gradient
  /// Where the piece lies; nothing: `even_piece`.
  std::optional<Piece> piece = std::nullopt;
};

/// One rank's side of a reduction, alive over all steps of a trial; called from that rank's thread.
class Reducer {
 public:
  virtual ~Reducer() = default;

  /// Takes one micro-batch and, when `contribution.last`, returns the reduced tree of the step.
  ///
  /// The contribution is the rank's own copy; it may only be changed where the claim says so.
  /// \throws Decline  to refuse the case
  virtual std::optional<Reduced> contribute(Communicator& ranks, Contribution& contribution) = 0;
};

/// What a rank's reducer is told when it is made.
struct ReducerSetup {
  SharedShape shape;  ///< of the gradient tree
  Dtype dtype;        ///< of the contributions, and of results unless the claim says another
  Rank rank;
  WorldSize world_size;
  std::shared_ptr<const Claim> claim = nullptr;  ///< under which it is judged; may be null
  std::vector<int> arrival{};  ///< the order of first calls that the case enforces; empty: any
};

using ReducerFactory = std::function<std::unique_ptr<Reducer>(const ReducerSetup&)>;

}  // namespace shardproof
