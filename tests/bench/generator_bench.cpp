#include <benchmark/benchmark.h>

#include "shardproof/generators/cases.h"

namespace shardproof {
namespace {

/// One case of a run after the other; the mean over the sizes that a run has.
void draw_cases(benchmark::State& state) {
  const Claim claim;
  const DrawOptions options;
  int index = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(draw_case(1, index, claim, SubjectKind::reducer, options));
    index = (index + 1) % 1000;
  }
}
BENCHMARK(draw_cases)->Unit(benchmark::kMicrosecond);

/// Two ranks with equal shards.
void draw_small_cases(benchmark::State& state) {
  const Claim claim;
  const DrawOptions options{.conditions = {Condition::equal}, .min_world = 2, .max_world = 2};
  int index = 100;
  for (auto _ : state) {
    benchmark::DoNotOptimize(draw_case(1, index, claim, SubjectKind::reducer, options));
    index = 100 + (index + 1) % 1000;
  }
}
BENCHMARK(draw_small_cases)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace shardproof
