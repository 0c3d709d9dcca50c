#include <utility>

#include "shardproof/judge/leaf.h"
#include "soak/batch.h"

namespace shardproof {
namespace {

/// A step of so many valid rows, which are not read.
SharedCase counts_only(const DrawnLeaf& leaf) {
  Case problem;
  problem.dtype = leaf.dtype;
  problem.mesh.axes.front().size = static_cast<int>(leaf.counts.size());
  Step& step = problem.steps.emplace_back();
  for (const auto& rank : leaf.counts) {
    Shard& shard = step.shards.emplace_back();
    for (const std::int64_t count : rank) {
      shard.micro_batches.emplace_back().mask.resize(static_cast<std::size_t>(count), 1);
    }
  }
  return std::make_shared<const Case>(std::move(problem));
}

SoakRefutation refutation_of(const SoakReduction& reduction, const DrawnLeaf& leaf,
                             std::uint64_t batch, std::size_t element, Failure failure) {
  SoakRefutation refutation;
  refutation.batch = batch;
  refutation.what = reduction.what;
  refutation.claim = reduction.claim;
  refutation.dtype = leaf.dtype;
  refutation.counts = leaf.counts;
  for (const auto& rank : leaf.values) {
    std::vector<double>& terms = refutation.terms.emplace_back();
    for (const std::vector<double>& term : rank) terms.push_back(term[element]);
  }
  refutation.failure = std::move(failure);
  return refutation;
}

}  // namespace

SoakReduction draw_soak_reduction(Source& source, const DrawnLeaf& leaf) {
  const LeafReduction how = draw_leaf_reduction(source, leaf);
  return {.claim = claim_of(how, leaf.dtype),
          .what = describe(how, leaf.dtype),
          .scaling = std::string(name(how.scaling)),
          .reduce = [how](const DrawnLeaf& l) { return reduce(how, l.values, l.counts, l.dtype); }};
}

void judge_leaves(const SoakOptions& options, std::uint64_t batch, SoakSums& sums) {
  Source source = leaf_source(options.seed, batch);
  const DrawnLeaf leaf = draw_leaf(source, kLeafElements);
  const LeafJudge judge(counts_only(leaf), leaf.values);
  for (std::int64_t i = 0; i < kReductionsOfLeaf; ++i) {
    const SoakReduction reduction = options.draw(source, leaf);
    const std::vector<double> returned = reduction.reduce(leaf);
    SoakTally& tally = sums.tally(reduction.claim, leaf.dtype, reduction.scaling);
    const LeafRulings rulings = judge.judge(reduction.claim, returned, tally.tightest);
    tally.judgements += rulings.accepted + rulings.refuted;
    tally.undecided += rulings.undecided;
    tally.tightest = std::max(tally.tightest, rulings.tightest);
    sums.judgements += rulings.accepted + rulings.refuted;
    sums.undecided += rulings.undecided;
    sums.exactly += rulings.exactly;
    if (rulings.first_refuted && !sums.refutation) {
      const std::size_t element = *rulings.first_refuted;
      sums.refutation = refutation_of(reduction, leaf, batch, element,
                                      judge.failure(reduction.claim, element, returned[element]));
    }
  }
}

}  // namespace shardproof
