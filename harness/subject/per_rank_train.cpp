#include <utility>

#include "shardproof/subject/per_rank.h"
#include "subject/per_rank_trial.h"
#include "subject/rank_misbehaved.h"
#include "subject/subject_inputs.h"

namespace shardproof {
namespace {

/// What one rank's thread writes; read by the others only once that rank has ended.
struct alignas(64) TrainRecord {
  Progress progress;
  std::vector<RankResult> results;  ///< [step]
  std::optional<InputChange> change;
};

/// Everything that the ranks of a trial can reach: kept alive by them.
struct TrainTrial {
  SharedCase problem;
  SharedShape shape;
  std::shared_ptr<const TrainStepFactory> factory;
  std::vector<TrainRecord> records;

  void run_rank(Communicator& ranks);
  [[nodiscard]] bool run_step(Communicator& ranks, TrainStep& train, TrainRecord& record,
                              TrainInput& input) const;
  [[nodiscard]] std::span<const double> parameters_before(std::size_t step,
                                                          const TrainRecord& record) const;
};

std::span<const double> TrainTrial::parameters_before(std::size_t step,
                                                      const TrainRecord& record) const {
  if (step == 0) return problem->model.parameters;
  return std::as_const(*record.results[step - 1].parameters).values();
}

bool TrainTrial::run_step(Communicator& ranks, TrainStep& train, TrainRecord& record,
                          TrainInput& input) const {
  TrainResult result = train.step(ranks, input);
  if (!fits(result.gradient, *shape)) {
    record.progress.misbehaved = misfit("a tree", result.gradient, *shape);
    return false;
  }
  if (!fits(result.parameters, *shape)) {
    record.progress.misbehaved = misfit("parameters", result.parameters, *shape);
    return false;
  }
  record.results.push_back({.gradient = std::move(result.gradient),
                            .loss = result.loss,
                            .count = result.count,
                            .norm = result.norm,
                            .parameters = std::move(result.parameters),
                            .piece = result.piece});
  return true;
}

void TrainTrial::run_rank(Communicator& ranks) {
  const Rank rank = ranks.rank();
  TrainRecord& record = records[static_cast<std::size_t>(rank.index)];
  const auto shard = static_cast<std::size_t>(problem->mesh.data_shard(rank));
  const std::size_t steps = problem->steps.size();
  // They live to the end of the trial: a train step may write to an earlier one later.
  std::vector<TrainInput> inputs(steps);
  record.results.reserve(steps);
  const std::unique_ptr<TrainStep> train = (*factory)({.model = problem->model,
                                                       .shape = shape,
                                                       .dtype = problem->dtype,
                                                       .rank = rank,
                                                       .world_size = ranks.world_size()});
  if (train == nullptr) {
    record.progress.misbehaved = "the factory made no train step";
    return;
  }
  for (std::size_t s = 0; s < steps; ++s) {
    record.progress.step = static_cast<int>(s);
    const std::span<const double> before = parameters_before(s, record);
    inputs[s] = {.micro_batches = problem->steps[s].shards[shard].micro_batches,
                 .parameters = Tree(shape, {before.begin(), before.end()}),
                 .learning_rate = problem->learning_rate,
                 .step = static_cast<int>(s)};
    try {
      if (!run_step(ranks, *train, record, inputs[s])) return;
    } catch (const RankMisbehaved& what) {
      record.progress.misbehaved = what.what();
      return;
    }
  }
  for (std::size_t s = 0; s < steps && !record.change; ++s) {
    inputs[s].step = static_cast<int>(s);
    record.change =
        first_change(problem->model, problem->steps[s].shards[shard].micro_batches,
                     parameters_before(s, record), problem->learning_rate, inputs[s], rank);
  }
}

/// \pre every rank has returned
Returned collect(TrainTrial& trial) {
  Returned returned;
  returned.results.resize(trial.problem->steps.size());
  for (TrainRecord& record : trial.records) {
    for (std::size_t s = 0; s < returned.results.size(); ++s) {
      returned.results[s].push_back(std::move(record.results[s]));
    }
    const auto& first = returned.input_change;
    if (record.change && (!first || record.change->step < first->step)) {
      returned.input_change = record.change;
    }
  }
  return returned;
}

class PerRankTrainStep final : public OnRankThreads {
 public:
  PerRankTrainStep(std::string name, Claim claim, TrainStepFactory factory)
      : OnRankThreads(std::move(name), std::move(claim)),
        factory_(std::make_shared<const TrainStepFactory>(std::move(factory))) {}

  [[nodiscard]] SubjectKind kind() const override { return SubjectKind::train_step; }

  Outcome run(const SharedCase& problem, const Limits& limits) override {
    const auto trial = std::make_shared<TrainTrial>(TrainTrial{
        .problem = problem,
        .shape = shape_of(problem->model),
        .factory = factory_,
        .records =
            std::vector<TrainRecord>(static_cast<std::size_t>(problem->world_size().value))});
    const WorldReport report =
        run_ranks(*problem, std::make_shared<const World::Body>([trial](Communicator& ranks) {
          trial->run_rank(ranks);
        }),
                  limits);
    std::vector<const Progress*> progress;
    for (const TrainRecord& record : trial->records) progress.push_back(&record.progress);
    if (std::optional<Outcome> outcome = outcome_without_results(report, progress)) {
      return *std::move(outcome);
    }
    return collect(*trial);
  }

 private:
  std::shared_ptr<const TrainStepFactory> factory_;
};

}  // namespace

std::unique_ptr<Subject> per_rank(std::string name, Claim claim, TrainStepFactory factory) {
  return std::make_unique<PerRankTrainStep>(std::move(name), std::move(claim), std::move(factory));
}

}  // namespace shardproof
