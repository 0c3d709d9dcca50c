#include <utility>

#include "subject/plugin/plugin_reducers.h"

namespace shardproof {
namespace {

/// Hands on every micro-batch as it is.
class TreeReducer final : public Reducer {
 public:
  explicit TreeReducer(std::unique_ptr<PluginRank> rank) : rank_(std::move(rank)) {}

  std::optional<Reduced> contribute(Communicator& /*ranks*/, Contribution& c) override {
    const PluginContribution contribution(c, rank_->trial().about().dtype);
    std::optional<PluginResult> result;
    if (c.last) result.emplace(rank_->trial(), std::nullopt);
    PluginContext& context = rank_->context();
    context.check("contribute",
                  rank_->table().contribute(rank_->state(), context.get(), contribution.get(),
                                            result ? result->get() : nullptr));
    contribution.copy_back(c);
    if (!result) return std::nullopt;
    result->check();
    return Reduced{.gradient = result->gradient(c.gradient.shared_shape()),
                   .loss = result->loss(),
                   .count = result->count(),
                   .norm = result->norm(),
                   .piece = result->piece()};
  }

 private:
  std::unique_ptr<PluginRank> rank_;
};

}  // namespace

std::unique_ptr<Reducer> tree_reducer(std::unique_ptr<PluginRank> rank) {
  return std::make_unique<TreeReducer>(std::move(rank));
}

}  // namespace shardproof
