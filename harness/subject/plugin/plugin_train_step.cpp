#include <utility>

#include "subject/plugin/plugin_reducers.h"
#include "subject/rank_misbehaved.h"

namespace shardproof {
namespace {

/// The rows of a micro-batch as a plug-in sees them, and the memory that it sees.
class PluginRows {
 public:
  PluginRows(const MicroBatch& from, Dtype dtype)
      : x_(dtype, from.x), y_(dtype, from.y), mask_(from.mask), absent_(from.absent) {}

  [[nodiscard]] shardproof_micro_batch get() {
    return {.size = sizeof(shardproof_micro_batch),
            .x = x_.data(),
            .y = y_.data(),
            .mask = mask_.data(),
            .rows = static_cast<std::int64_t>(mask_.size()),
            .absent = absent_.empty() ? nullptr : absent_.data()};
  }
  void copy_back(MicroBatch& to) const {
    x_.check("x");
    y_.check("y");
    x_.read(0, to.x);
    y_.read(0, to.y);
    to.mask = mask_;
    to.absent = absent_;
  }

 private:
  GuardedBuffer x_;
  GuardedBuffer y_;
  std::vector<std::uint8_t> mask_;
  std::vector<std::uint8_t> absent_;
};

class PluginTrainStep final : public TrainStep {
 public:
  explicit PluginTrainStep(std::unique_ptr<PluginRank> rank) : rank_(std::move(rank)) {}

  TrainResult step(Communicator& /*ranks*/, TrainInput& input) override {
    const Dtype dtype = rank_->trial().about().dtype;
    std::vector<PluginRows> rows;
    rows.reserve(input.micro_batches.size());
    std::vector<shardproof_micro_batch> micro_batches;
    for (const MicroBatch& each : input.micro_batches) {
      micro_batches.push_back(rows.emplace_back(each, dtype).get());
    }
    GuardedBuffer parameters(dtype, std::as_const(input.parameters).values());
    const shardproof_train_input about{.size = sizeof about,
                                       .micro_batches = micro_batches.data(),
                                       .micro_batch_count = micro_batches.size(),
                                       .parameters = parameters.data(),
                                       .learning_rate = input.learning_rate,
                                       .step = input.step};
    PluginResult result(rank_->trial(), dtype);
    PluginContext& context = rank_->context();
    context.check("train_step",
                  rank_->table().train_step(rank_->state(), context.get(), &about, result.get()));
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].copy_back(input.micro_batches[i]);
    parameters.check("the parameters");
    parameters.read(0, input.parameters.values());
    return taken(result, input.parameters.shared_shape());
  }

 private:
  static TrainResult taken(const PluginResult& result, const SharedShape& shape) {
    result.check();
    if (!result.loss()) throw RankMisbehaved("train_step returned no loss (has_loss is 0)");
    return {.loss = *result.loss(),
            .gradient = result.gradient(shape),
            .parameters = result.parameters(shape),
            .count = result.count(),
            .norm = result.norm(),
            .piece = result.piece()};
  }

  std::unique_ptr<PluginRank> rank_;
};

}  // namespace

std::unique_ptr<TrainStep> plugin_train_step(std::unique_ptr<PluginRank> rank) {
  return std::make_unique<PluginTrainStep>(std::move(rank));
}

}  // namespace shardproof
