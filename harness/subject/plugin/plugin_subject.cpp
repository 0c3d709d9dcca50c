#include "subject/plugin/plugin_subject.h"

#include <utility>

#include "shardproof/case/error.h"
#include "shardproof/subject/per_rank.h"
#include "subject/plugin/plugin_all_at_once.h"
#include "subject/plugin/plugin_reducers.h"

namespace shardproof {
namespace {

std::vector<Layer> layers_of(const TreeShape& shape) {
  std::vector<Layer> layers;
  for (const LeafShape& leaf : shape.leaves) {
    if (leaf.is_bias) {
      layers.back().bias = true;
    } else {
      layers.push_back({.outputs = leaf.columns, .bias = false});
    }
  }
  return layers;
}

PluginTrial::About about(const SharedShape& shape, Dtype dtype, const Claim& claim) {
  return {.shape = shape,
          .dtype = dtype,
          .output = claim.output.value_or(dtype),
          .features = shape->leaves.front().rows,
          .layers = layers_of(*shape)};
}

std::unique_ptr<Reducer> adapted(std::unique_ptr<PluginRank> rank, shardproof_kind kind,
                                 const Claim& claim) {
  if (kind == SHARDPROOF_COLLECTIVE) return collective_reducer(std::move(rank), claim);
  if (kind == SHARDPROOF_HOOK) return hook_reducer(std::move(rank), claim);
  return tree_reducer(std::move(rank));
}

/// A rank's side of a trial begins with its first call, which brings the communicator.
class PluginReducer final : public Reducer {
 public:
  PluginReducer(std::shared_ptr<Library> library, const ReducerSetup& setup)
      : library_(std::move(library)), setup_(setup) {}

  std::optional<Reduced> contribute(Communicator& ranks, Contribution& c) override {
    if (reducer_ == nullptr) {
      const shardproof_kind kind = library_->kind();
      auto rank = std::make_unique<PluginRank>(std::move(library_), ranks,
                                               about(setup_.shape, setup_.dtype, *setup_.claim));
      reducer_ = adapted(std::move(rank), kind, *setup_.claim);
    }
    return reducer_->contribute(ranks, c);
  }

 private:
  std::shared_ptr<Library> library_;
  ReducerSetup setup_;
  std::unique_ptr<Reducer> reducer_;
};

class PluginTrainer final : public TrainStep {
 public:
  PluginTrainer(std::shared_ptr<Library> library, const TrainSetup& setup, const Claim& claim)
      : library_(std::move(library)), about_(about(setup.shape, setup.dtype, claim)) {}

  TrainResult step(Communicator& ranks, TrainInput& input) override {
    if (step_ == nullptr) {
      step_ = plugin_train_step(
          std::make_unique<PluginRank>(std::move(library_), ranks, std::move(about_)));
    }
    return step_->step(ranks, input);
  }

 private:
  std::shared_ptr<Library> library_;
  PluginTrial::About about_;
  std::unique_ptr<TrainStep> step_;
};

}  // namespace

SubjectKind subject_kind(shardproof_kind kind) {
  return kind == SHARDPROOF_TRAIN_STEP ? SubjectKind::train_step : SubjectKind::reducer;
}

void check_fits(shardproof_kind kind, const Claim& claim) {
  if (kind != SHARDPROOF_COLLECTIVE && kind != SHARDPROOF_HOOK) return;
  if (claim.target == Target::weighted_mean) {
    throw InputError("claim",
                     "target: a collective or a hook sees no counts and cannot weigh by "
                     "them; claim sum or mean-over-ranks");
  }
}

std::unique_ptr<Subject> plugin_subject(std::shared_ptr<Library> library, Claim claim) {
  const shardproof_kind kind = library->kind();
  check_fits(kind, claim);
  const std::string name = library->name();
  if (kind == SHARDPROOF_ALL_AT_ONCE) {
    ReduceAll reduce = plugin_reduce_all(library, claim);
    return all_at_once(name, std::move(claim), std::move(reduce));
  }
  if (kind == SHARDPROOF_TRAIN_STEP) {
    return per_rank(name, claim, TrainStepFactory([library, claim](const TrainSetup& setup) {
                      return std::make_unique<PluginTrainer>(library, setup, claim);
                    }));
  }
  return per_rank(name, std::move(claim), ReducerFactory([library](const ReducerSetup& setup) {
                    return std::make_unique<PluginReducer>(library, setup);
                  }));
}

}  // namespace shardproof
