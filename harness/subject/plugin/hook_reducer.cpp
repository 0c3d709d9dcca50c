#include <utility>

#include "subject/plugin/buckets.h"
#include "subject/plugin/joined.h"
#include "subject/plugin/plugin_reducers.h"

namespace shardproof {
namespace {

/// What stands in gaps between leaves; it may become anything.
constexpr double kGap = 1;

struct Pending {
  Bucket bucket;
  GuardedBuffer buffer;
  void* handle = nullptr;
};

/// Cuts the tree of a step into buckets, starts the hook on all of them, then waits for each.
class HookReducer final : public Reducer {
 public:
  HookReducer(std::unique_ptr<PluginRank> rank, const Claim& claim)
      : rank_(std::move(rank)), joined_(claim, rank_->trial().about().dtype), op_(op_of(claim)) {}

  std::optional<Reduced> contribute(Communicator& /*ranks*/, Contribution& c) override {
    joined_.add(c);
    if (!c.last) return std::nullopt;
    std::vector<double> values = joined_.take();
    std::vector<Pending> pending = start(c.step, values);
    for (Pending& each : pending) finish(each, values);
    return Reduced{.gradient = Tree(c.gradient.shared_shape(), std::move(values)),
                   .loss = {},
                   .count = {},
                   .norm = {},
                   .piece = {}};
  }

 private:
  std::vector<Pending> start(int step, std::span<const double> values) {
    const TreeShape& shape = rank_->trial().shape();
    std::vector<Pending> pending;
    for (Bucket& bucket : buckets_of(shape, step)) {
      GuardedBuffer buffer(rank_->trial().about().dtype, std::vector<double>(bucket.count, kGap));
      for (std::size_t i = 0; i < bucket.leaves.size(); ++i) {
        const LeafShape& leaf = shape.leaves[bucket.leaves[i]];
        buffer.write(bucket.offsets[i], values.subspan(leaf.offset, leaf.size()));
      }
      pending.push_back({std::move(bucket), std::move(buffer)});
    }
    for (std::size_t i = 0; i < pending.size(); ++i) call(step, i, pending);
    return pending;
  }

  void call(int step, std::size_t index, std::vector<Pending>& pending) {
    Pending& it = pending[index];
    const shardproof_bucket about{.size = sizeof about,
                                  .op = op_,
                                  .dtype = static_cast<std::int32_t>(rank_->trial().about().dtype),
                                  .step = step,
                                  .index = static_cast<std::int32_t>(index),
                                  .is_last = index + 1 == pending.size() ? 1 : 0,
                                  .buffer = it.buffer.data(),
                                  .count = it.bucket.count,
                                  .leaves = it.bucket.leaves.data(),
                                  .offsets = it.bucket.offsets.data(),
                                  .leaf_count = it.bucket.leaves.size()};
    PluginContext& context = rank_->context();
    context.check("hook", rank_->table().hook(rank_->state(), context.get(), &about, &it.handle));
  }

  void finish(Pending& it, std::span<double> values) {
    PluginContext& context = rank_->context();
    if (rank_->table().wait != nullptr) {
      context.check("wait", rank_->table().wait(rank_->state(), context.get(), it.handle));
    }
    it.buffer.check("the bucket");
    for (std::size_t i = 0; i < it.bucket.leaves.size(); ++i) {
      const LeafShape& leaf = rank_->trial().shape().leaves[it.bucket.leaves[i]];
      it.buffer.read(it.bucket.offsets[i], values.subspan(leaf.offset, leaf.size()));
    }
  }

  std::unique_ptr<PluginRank> rank_;
  JoinedMicroBatches joined_;
  std::int32_t op_;
};

}  // namespace

std::unique_ptr<Reducer> hook_reducer(std::unique_ptr<PluginRank> rank, const Claim& claim) {
  return std::make_unique<HookReducer>(std::move(rank), claim);
}

}  // namespace shardproof
