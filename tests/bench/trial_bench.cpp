// Whole trials: local gradients on the ranks' threads, reduction and both judgements of every
// rank, leaf and element. `items_per_second` is trials per second.

#include <benchmark/benchmark.h>

#include <random>

#include "shardproof/judge/judge.h"
#include "shardproof/subject/builtin.h"
#include "shardproof/world/world.h"

namespace shardproof {
namespace {

constexpr int kCases = 128;
constexpr int kMostRows = 6;
constexpr int kMostFeatures = 4;
constexpr int kMostOutputs = 3;

class Draw {
 public:
  Draw(unsigned seed, Dtype dtype) : random_(seed), dtype_(dtype) {}

  int between(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  double value() { return round_to(dtype_, std::normal_distribution<double>()(random_)); }
  std::vector<double> values(int count) {
    std::vector<double> drawn(static_cast<std::size_t>(count));
    for (double& one : drawn) one = value();
    return drawn;
  }

  /// Up to 6 rows, every sixth of them padding.
  MicroBatch rows(const Model& model) {
    MicroBatch batch;
    const int count = between(1, kMostRows);
    batch.x = values(count * model.features);
    batch.y = values(count * model.outputs());
    for (int i = 0; i < count; ++i) batch.mask.push_back(between(0, 5) == 0 ? 0 : 1);
    return batch;
  }

  SharedCase problem(int world) {
    auto drawn = std::make_shared<Case>();
    drawn->dtype = dtype_;
    drawn->model.features = between(1, kMostFeatures);
    drawn->model.layers = {{.outputs = between(1, kMostOutputs), .bias = true}};
    const int outputs = drawn->model.outputs();
    drawn->model.parameters = values((drawn->model.features + 1) * outputs);
    drawn->mesh.axes.front().size = world;
    Step& step = drawn->steps.emplace_back();
    for (int r = 0; r < world; ++r) {
      step.shards.emplace_back().micro_batches.push_back(rows(drawn->model));
    }
    // Somebody keeps a row.
    step.shards.front().micro_batches.front().mask.front() = 1;
    validate(*drawn);
    return drawn;
  }

 private:
  std::mt19937 random_;
  Dtype dtype_;
};

/// World sizes 2 to 16, all as often.
std::vector<SharedCase> cases(int smallest, int largest, Dtype dtype = Dtype::f32) {
  Draw draw(1, dtype);
  std::vector<SharedCase> drawn;
  for (int i = 0; i < kCases; ++i) {
    drawn.push_back(draw.problem(smallest + i % (largest - smallest + 1)));
  }
  return drawn;
}

Trial execute(Subject& subject, const std::shared_ptr<const Claim>& claim,
              const SharedCase& problem) {
  return {problem, claim, subject.kind(), subject.run(problem, {})};
}

void trials(benchmark::State& state, const char* name) {
  const auto subject = make_builtin(name);
  const auto drawn = cases(static_cast<int>(state.range(0)), static_cast<int>(state.range(1)));
  const auto claim = std::make_shared<const Claim>(subject->claim());
  std::size_t next = 0;
  for (auto _ : state) {
    const Trial trial = execute(*subject, claim, drawn[next++ % drawn.size()]);
    if (!std::holds_alternative<Consistent>(judge_gradient(trial))) state.SkipWithError("refuted");
  }
  state.SetItemsProcessed(state.iterations());
}

void sizes(benchmark::internal::Benchmark* bench) {
  bench->Args({2, 16})->Args({4, 4})->Args({8, 8})->Args({16, 16})->UseRealTime();
}

/// The judgements alone. Those of 16 bits should cost no more than those of f32.
void judgements(benchmark::State& state, Dtype dtype) {
  const auto subject = make_builtin("sequential");
  const auto claim = std::make_shared<const Claim>(subject->claim());
  const auto drawn =
      cases(static_cast<int>(state.range(0)), static_cast<int>(state.range(1)), dtype);
  std::vector<Outcome> outcomes;
  for (const SharedCase& problem : drawn) outcomes.push_back(subject->run(problem, {}));
  std::size_t next = 0;
  for (auto _ : state) {
    // A trial keeps what it was once judged by: each is judged anew.
    state.PauseTiming();
    const std::size_t i = next++ % drawn.size();
    const Trial trial(drawn[i], claim, subject->kind(), outcomes[i]);
    state.ResumeTiming();
    benchmark::DoNotOptimize(judge_gradient(trial));
  }
  state.SetItemsProcessed(state.iterations());
}

BENCHMARK_CAPTURE(judgements, f32, Dtype::f32)->Apply(sizes);
BENCHMARK_CAPTURE(judgements, bf16, Dtype::bf16)->Apply(sizes);
BENCHMARK_CAPTURE(judgements, f16, Dtype::f16)->Apply(sizes);
BENCHMARK_CAPTURE(trials, sequential, "sequential")->Apply(sizes);
BENCHMARK_CAPTURE(trials, tree, "tree")->Apply(sizes);
BENCHMARK_CAPTURE(trials, ring, "ring")->Apply(sizes);

/// Threads alone: a trial that does nothing, and one of two barriers.
void bare_trial(benchmark::State& state) {
  World world;
  const auto barriers = state.range(1);
  const auto body = std::make_shared<const World::Body>([barriers](Communicator& ranks) {
    for (int i = 0; i < barriers; ++i) ranks.barrier();
  });
  const WorldSize size{static_cast<int>(state.range(0))};
  for (auto _ : state) {
    benchmark::DoNotOptimize(world.run(size, body, {}, std::chrono::seconds(10)));
  }
}
BENCHMARK(bare_trial)->ArgsProduct({{2, 4, 8, 16}, {0, 2}})->UseRealTime();

}  // namespace
}  // namespace shardproof
