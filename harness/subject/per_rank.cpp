#include "shardproof/subject/per_rank.h"

#include <tuple>
#include <utility>

#include "shardproof/subject/local_gradient.h"
#include "subject/per_rank_trial.h"
#include "subject/rank_misbehaved.h"
#include "subject/subject_inputs.h"

namespace shardproof {
namespace {

/// Larger trees are not kept from one trial to the next.
constexpr std::size_t kMostKeptElements = 4096;

/// What one rank's thread writes; read by the others only once that rank has ended.
struct alignas(64) RankRecord {
  Progress progress;
  std::vector<std::vector<Contribution>> handed_in;  ///< [step][micro-batch]
  std::vector<RankResult> results;                   ///< [step]
  std::optional<InputChange> change;
};

/// Everything that the ranks of a trial can reach: kept alive by them.
struct ReducerTrial {
  SharedCase problem;
  SharedShape shape;
  std::shared_ptr<const Claim> claim;
  std::shared_ptr<const ReducerFactory> factory;
  std::vector<RankRecord> records;

  void run_rank(Communicator& ranks);
  void run_steps(Communicator& ranks, RankRecord& record,
                 std::vector<std::vector<Contribution>>& own) const;
};

/// Takes an answer. \return false when it is none, which the record then says
bool take_answer(std::optional<Reduced> answer, bool due, const TreeShape& shape,
                 RankRecord& record) {
  if (answer.has_value() != due) {
    record.progress.misbehaved =
        due ? "returned nothing for the last micro-batch" : "returned before the last micro-batch";
    return false;
  }
  if (!due) return true;
  if (!fits(answer->gradient, shape)) {
    record.progress.misbehaved = misfit("a tree", answer->gradient, shape);
    return false;
  }
  record.results.push_back({.gradient = std::move(answer->gradient),
                            .loss = answer->loss,
                            .count = answer->count,
                            .norm = answer->norm,
                            .parameters = {},
                            .piece = answer->piece});
  return true;
}

void ReducerTrial::run_steps(Communicator& ranks, RankRecord& record,
                             std::vector<std::vector<Contribution>>& own) const {
  const std::unique_ptr<Reducer> reducer =
      (*factory)({.shape = shape,
                  .dtype = role_dtypes(*claim, problem->dtype).gradient,
                  .rank = ranks.rank(),
                  .world_size = ranks.world_size(),
                  .claim = claim,
                  .arrival = problem->arrival});
  if (reducer == nullptr) {
    record.progress.misbehaved = "the factory made no reducer";
    return;
  }
  for (std::size_t s = 0; s < own.size(); ++s) {
    record.progress.step = static_cast<int>(s);
    for (std::size_t b = 0; b < own[s].size(); ++b) {
      const bool due = record.handed_in[s][b].last;
      if (!take_answer(reducer->contribute(ranks, own[s][b]), due, *shape, record)) return;
    }
  }
}

void ReducerTrial::run_rank(Communicator& ranks) {
  RankRecord& record = records[static_cast<std::size_t>(ranks.rank().index)];
  const int shard = problem->mesh.data_shard(ranks.rank());
  // All of them before the reducer is called: it may leave this thread's rounding mode changed.
  record.handed_in.resize(problem->steps.size());
  for (std::size_t s = 0; s < problem->steps.size(); ++s) {
    const int micro_batches = problem->steps[s].micro_batches();
    record.handed_in[s].reserve(static_cast<std::size_t>(micro_batches));
    for (int b = 0; b < micro_batches; ++b) {
      record.handed_in[s].push_back(local_contribution(*problem, shape, static_cast<int>(s), shard,
                                                       b, claim->input, claim->gradient));
    }
  }
  // The reducer's copies live to the end of the trial: it may write to an earlier one later. Their
  // buffers serve the next trial on this thread, which most often has the same sizes.
  thread_local std::vector<std::vector<Contribution>> own;
  own = record.handed_in;
  record.results.reserve(problem->steps.size());
  try {
    run_steps(ranks, record, own);
  } catch (const RankMisbehaved& what) {
    record.progress.misbehaved = what.what();
    return;
  }
  for (std::size_t s = 0; s < own.size() && !record.change; ++s) {
    for (std::size_t b = 0; b < own[s].size() && !record.change; ++b) {
      record.change = first_change(record.handed_in[s][b], own[s][b], ranks.rank());
    }
  }
  if (shape->size > kMostKeptElements) own = {};
}

/// \pre every rank has returned
Returned collect(ReducerTrial& trial) {
  Returned returned;
  const std::size_t steps = trial.problem->steps.size();
  returned.results.resize(steps);
  returned.contributions.resize(steps);
  for (std::size_t s = 0; s < steps; ++s) {
    returned.results[s].reserve(trial.records.size());
    returned.contributions[s].reserve(trial.records.size());
    for (RankRecord& record : trial.records) {
      returned.results[s].push_back(std::move(record.results[s]));
      returned.contributions[s].push_back(std::move(record.handed_in[s]));
    }
  }
  for (const RankRecord& record : trial.records) {
    const auto& found = record.change;
    const auto& first = returned.input_change;
    if (found && (!first || found->step < first->step)) returned.input_change = found;
  }
  return returned;
}

class PerRankReducer final : public OnRankThreads {
 public:
  PerRankReducer(std::string name, Claim claim, ReducerFactory factory)
      : OnRankThreads(std::move(name), std::move(claim)),
        factory_(std::make_shared<const ReducerFactory>(std::move(factory))) {}

  [[nodiscard]] SubjectKind kind() const override { return SubjectKind::reducer; }

  Outcome run(const SharedCase& problem, const Limits& limits) override {
    const auto trial = std::make_shared<ReducerTrial>(ReducerTrial{
        .problem = problem,
        .shape = shape_of(problem->model),
        .claim = shared_claim(),
        .factory = factory_,
        .records = std::vector<RankRecord>(static_cast<std::size_t>(problem->world_size().value))});
    const WorldReport report =
        run_ranks(*problem, std::make_shared<const World::Body>([trial](Communicator& ranks) {
          trial->run_rank(ranks);
        }),
                  limits);
    std::vector<const Progress*> progress;
    progress.reserve(trial->records.size());
    for (const RankRecord& record : trial->records) progress.push_back(&record.progress);
    if (std::optional<Outcome> outcome = outcome_without_results(report, progress)) {
      return *std::move(outcome);
    }
    return collect(*trial);
  }

 private:
  std::shared_ptr<const ReducerFactory> factory_;
};

}  // namespace

std::unique_ptr<Subject> per_rank(std::string name, Claim claim, ReducerFactory factory) {
  return std::make_unique<PerRankReducer>(std::move(name), std::move(claim), std::move(factory));
}

}  // namespace shardproof
