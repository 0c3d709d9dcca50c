#include <benchmark/benchmark.h>

#include <ctime>

#include "shardproof/generators/leaves.h"
#include "shardproof/judge/leaf.h"
#include "shardproof/properties/soak.h"

/// A leaf judged at once against one element at a time, in one run. `ratio` says how many times
/// faster an element is, `millions` how many results one thread of the soak judges in a second of
/// processor time: right reductions drawn, executed and judged.
namespace shardproof {
namespace {

double seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void soak_judgements(benchmark::State& state) {
  const double before = seconds();
  std::int64_t judged = 0;
  std::uint64_t seed = 0;
  for (auto _ : state) {
    judged += soak({.judgements = 2'000'000, .seed = seed++}).judgements;
  }
  state.counters["millions"] = static_cast<double>(judged) / 1e6 / (seconds() - before);
}
BENCHMARK(soak_judgements)->Unit(benchmark::kMillisecond);

SharedCase two_ranks(Dtype dtype) {
  Case problem;
  problem.dtype = dtype;
  problem.mesh.axes.front().size = 2;
  Step& step = problem.steps.emplace_back();
  for (int r = 0; r < 2; ++r) {
    step.shards.emplace_back().micro_batches.emplace_back().mask.assign(3, 1);
  }
  return std::make_shared<const Case>(std::move(problem));
}

void leaf_against_elements(benchmark::State& state) {
  const Dtype dtype = all_dtypes()[static_cast<std::size_t>(state.range(0))];
  constexpr std::size_t kElements = 1024;
  Claim claim;
  claim.accumulates_in_16_bits = true;
  const LeafValues values(2, {std::vector<double>(kElements, 1.5)});
  const std::vector<double> returned(kElements, 1.5);
  const LeafJudge leaf(two_ranks(dtype), values);
  const LeafJudge element(two_ranks(dtype), LeafValues(2, {{1.5}}));
  const double before_elements = seconds();
  for (std::size_t e = 0; e < 20 * kElements; ++e) {
    // Refuted by itself, so that no filter decides it.
    benchmark::DoNotOptimize(element.judge(claim, std::vector{2.0}));
  }
  const double each = (seconds() - before_elements) / (20 * kElements);
  const double before = seconds();
  for (auto _ : state) benchmark::DoNotOptimize(leaf.judge(claim, returned, 1));
  const double of_leaf = (seconds() - before) / static_cast<double>(state.iterations()) / kElements;
  state.counters["ratio"] = each / of_leaf;
  state.counters["ns_per_element"] = of_leaf * 1e9;
}
BENCHMARK(leaf_against_elements)->DenseRange(0, 3);

}  // namespace
}  // namespace shardproof
