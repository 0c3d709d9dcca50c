#include "subject/per_rank_trial.h"

#include <tuple>

namespace shardproof {
namespace {

/// Keeps the failure of the lowest step, then of the lowest rank.
class First {
 public:
  void offer(int step, int rank, Outcome outcome) {
    if (outcome_ && std::tie(step, rank) >= std::tie(step_, rank_)) return;
    step_ = step;
    rank_ = rank;
    outcome_ = std::move(outcome);
  }
  [[nodiscard]] const std::optional<Outcome>& outcome() const { return outcome_; }

 private:
  int step_ = 0;
  int rank_ = 0;
  std::optional<Outcome> outcome_;
};

}  // namespace

std::optional<Outcome> outcome_without_results(const WorldReport& report,
                                               std::span<const Progress* const> progress) {
  First failed;
  First declined;
  Deadlocked deadlocked;
  bool all_back = true;
  for (std::size_t i = 0; i < report.ranks.size(); ++i) {
    const RankEnd& end = report.ranks[i];
    const Rank rank{static_cast<int>(i)};
    if (std::holds_alternative<RankStuck>(end)) {
      all_back = false;
    } else if (const auto* cancelled = std::get_if<RankCancelled>(&end)) {
      // It may still be running: nothing of it is read.
      all_back = false;
      deadlocked.waits.push_back(cancelled->wait);
    } else {
      const Progress& at = *progress[i];
      if (const auto* threw = std::get_if<RankThrew>(&end)) {
        failed.offer(at.step, rank.index, Threw{rank, at.step, threw->message});
      } else if (const auto* decline = std::get_if<RankDeclined>(&end)) {
        declined.offer(at.step, rank.index, Declined{rank, at.step, decline->message});
      } else if (at.misbehaved) {
        failed.offer(at.step, rank.index, Misbehaved{rank, at.step, *at.misbehaved});
      }
    }
  }
  if (failed.outcome()) return failed.outcome();
  if (declined.outcome()) return declined.outcome();
  if (report.deadlocked) return deadlocked;
  if (!all_back) return TimedOut{report.running};
  return std::nullopt;
}

WorldReport OnRankThreads::run_ranks(const Case& problem, std::shared_ptr<const World::Body> body,
                                     const Limits& limits) {
  if (world_ == nullptr || !world_->usable()) world_ = std::make_unique<World>();
  WorldReport report =
      world_->run(problem.world_size(), std::move(body), problem.arrival, limits.timeout);
  usable_ = usable_ && world_->usable();
  return report;
}

const SharedShape& OnRankThreads::shape_of(const Model& model) {
  if (shape_ == nullptr || features_ != model.features || layers_ != model.layers) {
    shape_ = tree_shape(model);
    features_ = model.features;
    layers_ = model.layers;
  }
  return shape_;
}

}  // namespace shardproof
