#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "shardproof/subject/outcome.h"
#include "shardproof/world/communicator.h"

namespace shardproof {

/// What one rank gets for one step: raw rows, padding included.
struct TrainInput {
  std::vector<MicroBatch> micro_batches;
  Tree parameters;  ///< this rank's, as its last step returned them
  double learning_rate = 0;
  int step = 0;
};

/// What one rank returns for one step.
struct TrainResult {
  double loss = 0;  ///< pre-update, over all valid rows of the step
  Tree gradient;    ///< the one that the update used; under `result=pieces`, the rank's piece
  Tree parameters;  ///< after w - learning_rate * gradient
  std::optional<double> count;
  std::optional<double> norm;
  /// Where the gradient's piece lies; nothing: `even_piece`.
  std::optional<Piece> piece = std::nullopt;
};

/// One rank's side of a training step, alive over all steps of a trial.
class TrainStep {
 public:
  virtual ~TrainStep() = default;

  /// \throws Decline  to refuse the case
  virtual TrainResult step(Communicator& ranks, TrainInput& input) = 0;
};

struct TrainSetup {
  Model model;  ///< its parameters are those before the first step
  SharedShape shape;
  Dtype dtype;
  Rank rank;
  WorldSize world_size;
};

using TrainStepFactory = std::function<std::unique_ptr<TrainStep>(const TrainSetup&)>;

}  // namespace shardproof
