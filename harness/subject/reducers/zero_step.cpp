#include <algorithm>

#include "shardproof/subject/local_gradient.h"
#include "shardproof/subject/sgd.h"
#include "shardproof/subject/sharded.h"

namespace shardproof {
namespace {

class ZeroStep final : public TrainStep {
 public:
  ZeroStep(bool gathered, const TrainSetup& setup)
      : setup_(setup),
        gathered_(gathered),
        piece_(even_piece(setup.shape->size, setup.world_size, setup.rank)),
        reducer_(scatter_reducers()({.shape = setup.shape,
                                     .dtype = setup.dtype,
                                     .rank = setup.rank,
                                     .world_size = setup.world_size})) {}

  TrainResult step(Communicator& ranks, TrainInput& input) override {
    Reduced reduced = reduce(ranks, input);
    Tree parameters = input.parameters;
    update(parameters.values(), reduced.gradient.values(), input.learning_rate);
    if (gathered_) gather(ranks, parameters.values());
    return {.loss = *reduced.loss,
            .gradient = std::move(reduced.gradient),
            .parameters = std::move(parameters),
            .count = reduced.count,
            .norm = reduced.norm,
            .piece = piece_};
  }

 private:
  Reduced reduce(Communicator& ranks, const TrainInput& input) {
    std::optional<Reduced> reduced;
    const auto count = static_cast<int>(input.micro_batches.size());
    for (int k = 0; k < count; ++k) {
      const MicroBatch& rows = input.micro_batches[static_cast<std::size_t>(k)];
      const double divisor = std::max(static_cast<double>(rows.valid().value), 1.0);
      LocalGradient own = local_gradient(setup_.model, setup_.shape, input.parameters.values(),
                                         rows, local_dtypes(setup_.dtype, setup_.dtype), divisor);
      Contribution contribution{.gradient = std::move(own.gradient),
                                .loss = own.loss,
                                .valid = rows.valid(),
                                .rows = rows.rows(),
                                .step = input.step,
                                .micro_batch = k,
                                .last = k + 1 == count,
                                .absent = {}};
      reduced = reducer_->contribute(ranks, contribution);
    }
    return *std::move(reduced);
  }

  /// Of the own piece only.
  void update(std::span<double> parameters, std::span<const double> gradient,
              double learning_rate) const {
    for (std::size_t e = piece_.offset; e < piece_.end(); ++e) {
      const double way = round_to(setup_.dtype, learning_rate * gradient[e]);
      parameters[e] = round_to(setup_.dtype, parameters[e] - way);
    }
  }

  /// Every rank's piece of the parameters. Pieces may differ in length.
  void gather(Communicator& ranks, std::span<double> parameters) const {
    ranks.publish<double>(parameters.subspan(piece_.offset, piece_.length));
    ranks.barrier();
    for (int r = 0; r < setup_.world_size.value; ++r) {
      const Piece theirs = even_piece(parameters.size(), setup_.world_size, Rank{r});
      std::ranges::copy(ranks.slot<double>(Rank{r}), parameters.subspan(theirs.offset).begin());
    }
  }

  TrainSetup setup_;
  bool gathered_;
  Piece piece_;
  std::unique_ptr<Reducer> reducer_;
};

}  // namespace

TrainStepFactory zero_steps(bool gathered) {
  return
      [gathered](const TrainSetup& setup) { return std::make_unique<ZeroStep>(gathered, setup); };
}

Claim zero_claim() {
  Strategy ring;
  ring.topology = Topology::ring;
  Claim claim = sgd_claim(ring);
  claim.result = Result::pieces;
  return claim;
}

}  // namespace shardproof
