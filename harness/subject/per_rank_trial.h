#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "shardproof/subject/outcome.h"
#include "shardproof/subject/subject.h"
#include "shardproof/world/world.h"
#include "subject/subject_under_claim.h"

namespace shardproof {

/// How far a rank has come; written by its own thread.
struct Progress {
  int step = 0;
  std::optional<std::string> misbehaved;  ///< it gave something that is no result, and ended there
};

/// What happened instead of results, or nothing where every rank has returned one for every step.
///
/// Of several ranks' failures the cause is named, in this order and then by step and rank, so that
/// the same trial gives the same outcome: misbehaved or threw; declined; deadlocked (the others may
/// have waited for one that failed); timed out.
///
/// \param progress  one a rank; those of ranks that are stuck are not read
std::optional<Outcome> outcome_without_results(const WorldReport& report,
                                               std::span<const Progress* const> progress);

/// A subject of one object per rank, on threads that are kept between trials.
class OnRankThreads : public SubjectUnderClaim {
 public:
  using SubjectUnderClaim::SubjectUnderClaim;
  [[nodiscard]] bool usable() const override { return usable_; }

 protected:
  /// Runs `body` once per rank. A world with an abandoned thread is replaced.
  WorldReport run_ranks(const Case& problem, std::shared_ptr<const World::Body> body,
                        const Limits& limits);
  /// The shape of the model's tree; the last one is kept.
  const SharedShape& shape_of(const Model& model);

 private:
  std::unique_ptr<World> world_;
  bool usable_ = true;
  int features_ = 0;
  std::vector<Layer> layers_;
  SharedShape shape_;
};

}  // namespace shardproof
