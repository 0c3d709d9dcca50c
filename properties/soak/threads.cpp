#include <algorithm>
#include <variant>

#include "shardproof/generators/cases.h"
#include "shardproof/generators/strategies.h"
#include "shardproof/judge/judge.h"
#include "shardproof/subject/per_rank.h"
#include "soak/batch.h"

namespace shardproof {
namespace {

constexpr int kCases = 16;  // for each strategy: its threads are started once

/// The name under which leaves reduced in the same way are counted.
std::string_view name_for_leaves(Scaling scaling) {
  switch (scaling) {
    case Scaling::divide_after:
      return name(LeafScaling::divide_after);
    case Scaling::divide_before:
      return name(LeafScaling::divide_before);
    case Scaling::sum_over_count:
      return name(LeafScaling::sums_over_count);
    case Scaling::none:
      return name(LeafScaling::sum);
    case Scaling::mean_of_means:
    case Scaling::sum_of_means:
    case Scaling::weight_by_count:
      break;
  }
  return name(LeafScaling::weight_divide);
}

struct NamedSubject {
  std::unique_ptr<Subject> subject;
  std::string scaling;
};

NamedSubject draw_subject(Source& source) {
  if (source.chance(1, 8)) {
    return {per_rank("kahan", kahan_claim(), kahan_reducers()),
            std::string(name_for_leaves(Scaling::weight_by_count))};
  }
  Strategy strategy = draw_strategy(source);
  if (strategy.scaling == Scaling::weight_by_count && source.chance(1, 3)) {
    strategy.micro_batches = Accumulation::running_mean;
  }
  return {per_rank(name(strategy), claim_of(strategy), reducers_of(strategy)),
          std::string(name_for_leaves(strategy.scaling))};
}

/// Every element of every rank's gradients, and the losses.
std::int64_t elements_of(const Trial& trial) {
  const auto ranks = static_cast<std::int64_t>(trial.problem->world_size().value);
  const auto steps = static_cast<std::int64_t>(trial.problem->steps.size());
  return ranks * steps * (static_cast<std::int64_t>(tree_shape(trial.problem->model)->size) + 1);
}

SoakRefutation refutation_of(const Trial& trial, const Subject& subject, std::uint64_t batch,
                             std::uint64_t seed, int index, const Failure& failure) {
  SoakRefutation refutation;
  refutation.batch = batch;
  refutation.what = subject.name();
  refutation.claim = subject.claim();
  refutation.dtype = trial.problem->dtype;
  refutation.failure = failure;
  refutation.counterexample =
      Counterexample{.problem = with_contributions(*trial.problem, subject.claim().input),
                     .subject = subject.name(),
                     .property = "matches_reference",
                     .claim = settings(subject.claim()),
                     .seed = seed,
                     .case_index = index,
                     .shrunk = false,
                     .failure = failure.sentence};
  return refutation;
}

}  // namespace

void judge_on_threads(const SoakOptions& options, std::uint64_t batch, SoakSums& sums) {
  Source source = leaf_source(~options.seed, batch);
  const NamedSubject named = draw_subject(source);
  Subject& subject = *named.subject;
  const auto claim = std::make_shared<const Claim>(subject.claim());
  DrawOptions drawing;
  drawing.dtypes.assign(all_dtypes().begin(), all_dtypes().end());
  for (int i = 0; i < kCases && subject.usable() && !sums.refutation; ++i) {
    const int index = static_cast<int>(batch % 100'000'000) * kCases + i;
    const auto problem = std::make_shared<const Case>(
        draw_case(options.seed, index, *claim, SubjectKind::reducer, drawing));
    const Trial trial(problem, claim, SubjectKind::reducer, subject.run(problem, {}));
    SoakTally& tally = sums.tally(*claim, problem->dtype, named.scaling);
    std::int64_t judged = 0;
    for (const Verdict& verdict : {judge_gradient(trial), judge_loss(trial)}) {
      if (std::holds_alternative<Consistent>(verdict)) judged = elements_of(trial);
      const auto* failure = std::get_if<Failure>(&verdict);
      if (failure != nullptr && !sums.refutation) {
        sums.refutation = refutation_of(trial, subject, batch, options.seed, index, *failure);
      }
    }
    tally.judgements += judged;
    sums.judgements += judged;
    sums.on_threads += judged;
  }
}

}  // namespace shardproof
