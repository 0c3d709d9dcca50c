#include <benchmark/benchmark.h>

#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <ctime>
#include <random>
#include <span>
#include <vector>

#include "shardproof/exact/exact_gradient.h"
#include "shardproof/exact/exact_sum.h"

/// Exact arithmetic against naive rational numbers, measured in one run. The counter `ratio` says
/// how many times faster the exact engine is, `ns_per_term` how long one term (a multiplication and
/// addition of the gradient) takes.
namespace shardproof {
namespace {

using Rational = boost::multiprecision::cpp_rational;

double value(std::mt19937_64& random, Dtype dtype) {
  std::normal_distribution<double> normal;
  return round_to(dtype, normal(random));
}

/// Processor time, so that other load on the machine does not count.
double seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Runs `exact` under the benchmark and `naive` beside it, and reports the two.
template <typename Exact, typename Naive>
void compare(benchmark::State& state, double terms, Exact exact, Naive naive) {
  constexpr double kLongEnough = 0.02;
  const double before_naive = seconds();
  int runs = 0;
  while (runs == 0 || seconds() - before_naive < kLongEnough) {
    naive();
    ++runs;
  }
  const double naive_each = (seconds() - before_naive) / runs;
  const double before = seconds();
  for (auto _ : state) exact();
  const double each = (seconds() - before) / static_cast<double>(state.iterations());
  state.counters["ns_per_term"] = each / terms * 1e9;
  state.counters["naive_ns"] = naive_each / terms * 1e9;
  state.counters["ratio"] = naive_each / each;
}

void exact_sum_of_terms(benchmark::State& state) {
  std::mt19937_64 random(1);
  std::vector<double> terms(static_cast<std::size_t>(state.range(0)));
  for (double& term : terms) term = value(random, Dtype::f64);
  const std::size_t repeats = 1 + 4096 / terms.size();
  compare(
      state, static_cast<double>(repeats * terms.size()),
      [&] {
        for (std::size_t i = 0; i < repeats; ++i) {
          ExactSum sum;
          for (const double term : terms) sum.add(term);
          benchmark::DoNotOptimize(sum.sign());
        }
      },
      [&] {
        for (std::size_t i = 0; i < repeats; ++i) {
          Rational sum = 0;
          for (const double term : terms) sum += Rational(term);
          benchmark::DoNotOptimize(sum);
        }
      });
}
BENCHMARK(exact_sum_of_terms)->Arg(4)->Arg(16)->Arg(1024);

struct Batch {
  Model model;
  std::vector<MicroBatch> shards;

  [[nodiscard]] std::vector<WeightedRows> groups() const {
    std::vector<WeightedRows> result;
    for (const MicroBatch& shard : shards) {
      result.push_back({.rows = &shard, .parameters = model.parameters, .weight = 1});
    }
    return result;
  }
  [[nodiscard]] double multiplications() const {
    double rows = 0;
    for (const MicroBatch& shard : shards) rows += shard.rows();
    return rows * model.layers.front().outputs * (2.0 * model.features + 3);
  }
};

Batch batch(int shards, int rows, int features, int outputs, Dtype dtype) {
  std::mt19937_64 random(2);
  Batch result;
  result.model = {.features = features, .layers = {{.outputs = outputs}}, .parameters = {}};
  const auto fill = [&](std::vector<double>& values, int count) {
    for (int i = 0; i < count; ++i) values.push_back(value(random, dtype));
  };
  fill(result.model.parameters, (features + 1) * outputs);
  for (int s = 0; s < shards; ++s) {
    MicroBatch shard;
    fill(shard.x, rows * features);
    fill(shard.y, rows * outputs);
    shard.mask.assign(static_cast<std::size_t>(rows), 1);
    result.shards.push_back(std::move(shard));
  }
  return result;
}

/// The gradient of one layer as one writes it down with rational numbers.
std::vector<Rational> naive_gradient(const Batch& data) {
  const auto features = static_cast<std::size_t>(data.model.features);
  const auto outputs = static_cast<std::size_t>(data.model.layers.front().outputs);
  const std::vector<double>& w = data.model.parameters;
  std::vector<Rational> result((features + 1) * outputs);
  for (const MicroBatch& shard : data.shards) {
    for (std::size_t i = 0; i < shard.mask.size(); ++i) {
      for (std::size_t k = 0; k < outputs; ++k) {
        Rational r = Rational(w[features * outputs + k]) - Rational(shard.y[i * outputs + k]);
        for (std::size_t d = 0; d < features; ++d) {
          r += Rational(shard.x[i * features + d]) * Rational(w[d * outputs + k]);
        }
        for (std::size_t d = 0; d < features; ++d) {
          result[d * outputs + k] += 2 * Rational(shard.x[i * features + d]) * r;
        }
        result[features * outputs + k] += 2 * r;
      }
    }
  }
  return result;
}

void compare_gradients(benchmark::State& state, const Batch& data) {
  const std::vector<WeightedRows> groups = data.groups();
  compare(
      state, data.multiplications(),
      [&] { benchmark::DoNotOptimize(exact_gradient(data.model, groups, 1)); },
      [&] { benchmark::DoNotOptimize(naive_gradient(data)); });
}

void gradient_of_1024_rows(benchmark::State& state) {
  compare_gradients(state, batch(1, 1024, 16, 4, state.range(0) == 32 ? Dtype::f32 : Dtype::f64));
}
BENCHMARK(gradient_of_1024_rows)->ArgName("bits")->Arg(32)->Arg(64);

void gradient_of_a_small_case(benchmark::State& state) {
  compare_gradients(state, batch(9, 4, 3, 3, state.range(0) == 32 ? Dtype::f32 : Dtype::f64));
}
BENCHMARK(gradient_of_a_small_case)->ArgName("bits")->Arg(32)->Arg(64);

/// Small integers, as most generated cases have them: the narrowest integers are enough.
void gradient_of_small_integers(benchmark::State& state) {
  Batch data = batch(9, 4, 3, 3, Dtype::f64);
  const auto coarsen = [](std::vector<double>& values) {
    for (double& number : values) number = static_cast<int>(4 * number);
  };
  coarsen(data.model.parameters);
  for (MicroBatch& shard : data.shards) {
    coarsen(shard.x);
    coarsen(shard.y);
  }
  compare_gradients(state, data);
}
BENCHMARK(gradient_of_small_integers);

/// Exponents all over the range of binary64: the general path.
void gradient_of_wide_exponents(benchmark::State& state) {
  Batch data = batch(9, 4, 3, 3, Dtype::f64);
  std::mt19937_64 random(3);
  for (MicroBatch& shard : data.shards) {
    for (double& number : shard.x)
      number = std::ldexp(number, static_cast<int>(random() % 1800) - 900);
  }
  compare_gradients(state, data);
}
BENCHMARK(gradient_of_wide_exponents);

}  // namespace
}  // namespace shardproof
