#include <array>
#include <atomic>
#include <memory>

#include "shardproof/subject/strategy.h"
#include "shardproof/subject/wrong_subjects.h"

namespace shardproof {

ReducerFactory reducers_of_changing_order() {
  // One count of trials for each rank of each world size: they advance together, trial by trial.
  using Trials = std::array<std::array<std::atomic<int>, kMaxWorldSize>, kMaxWorldSize + 1>;
  return [trials = std::make_shared<Trials>()](const ReducerSetup& setup) {
    const auto world = static_cast<std::size_t>(setup.world_size.value);
    const auto rank = static_cast<std::size_t>(setup.rank.index);
    const int trial = (*trials)[world][rank]++;
    Strategy strategy;
    strategy.first_rank = trial % setup.world_size.value;
    return reducers_of(strategy)(setup);
  };
}

}  // namespace shardproof
