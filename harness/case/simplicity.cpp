#include "case/simplicity.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace shardproof {
namespace {

using Key = std::vector<std::uint64_t>;

std::uint64_t as_entry(std::size_t size) { return static_cast<std::uint64_t>(size); }
std::uint64_t as_entry(int size) { return static_cast<std::uint64_t>(size); }

/// Applies `visit(micro_batch)` from the last of the case to the first.
template <class Visit>
void backwards(const Case& problem, Visit visit) {
  for (auto step = problem.steps.rbegin(); step != problem.steps.rend(); ++step) {
    for (auto shard = step->shards.rbegin(); shard != step->shards.rend(); ++shard) {
      for (auto rows = shard->micro_batches.rbegin(); rows != shard->micro_batches.rend(); ++rows) {
        visit(*rows);
      }
    }
  }
}

void add_sizes(const Case& problem, Key& key) {
  std::uint64_t micro_batches = 0;
  std::uint64_t rows = 0;
  for (const Step& step : problem.steps) micro_batches += as_entry(step.micro_batches());
  backwards(problem, [&](const MicroBatch& batch) { rows += as_entry(batch.rows()); });
  std::uint64_t leaves = 0;
  for (const Layer& layer : problem.model.layers) leaves += layer.bias ? 2 : 1;
  key.insert(key.end(), {as_entry(problem.steps.size()), as_entry(problem.world_size().value),
                         micro_batches, rows, leaves, as_entry(problem.model.layers.size()),
                         as_entry(problem.model.outputs()), as_entry(problem.model.features)});
  for (auto layer = problem.model.layers.rbegin(); layer != problem.model.layers.rend(); ++layer) {
    key.push_back(as_entry(layer->outputs));
    key.push_back(layer->bias ? 1 : 0);
  }
  for (auto step = problem.steps.rbegin(); step != problem.steps.rend(); ++step) {
    key.push_back(as_entry(step->micro_batches()));
  }
}

/// How much the micro-batches of each step differ in length, added up.
std::uint64_t spread(const Case& problem) {
  std::uint64_t sum = 0;
  for (const Step& step : problem.steps) {
    int least = std::numeric_limits<int>::max();
    int most = 0;
    for (const Shard& shard : step.shards) {
      for (const MicroBatch& batch : shard.micro_batches) {
        least = std::min(least, batch.rows());
        most = std::max(most, batch.rows());
      }
    }
    sum += as_entry(most - least);
  }
  return sum;
}

void add_counts(const Case& problem, Key& key) {
  std::uint64_t padded = 0;
  std::uint64_t absent = 0;
  std::uint64_t absence_lists = 0;
  backwards(problem, [&](const MicroBatch& batch) {
    padded += as_entry(batch.rows()) - static_cast<std::uint64_t>(batch.valid().value);
    absent +=
        as_entry(static_cast<std::size_t>(std::count(batch.absent.begin(), batch.absent.end(), 1)));
    absence_lists += batch.absent.empty() ? 0 : 1;
  });
  key.insert(key.end(), {padded, absent, absence_lists, spread(problem)});
  backwards(problem, [&](const MicroBatch& batch) { key.push_back(as_entry(batch.rows())); });
  backwards(problem, [&](const MicroBatch& batch) {
    for (auto kept = batch.mask.rbegin(); kept != batch.mask.rend(); ++kept) {
      key.push_back(*kept != 0 ? 1 : 0);  // padding stands behind valid rows
    }
    for (auto unused = batch.absent.rbegin(); unused != batch.absent.rend(); ++unused) {
      key.push_back(*unused);
    }
  });
}

void add_ranks(const std::vector<double>& values, Key& key) {
  for (auto value = values.rbegin(); value != values.rend(); ++value) {
    key.push_back(value_rank(*value));
  }
}

/// Number of entries that are not 0, and their sum (saturating).
void add_summary(std::span<const std::uint64_t> ranks, Key& key) {
  std::uint64_t nonzero = 0;
  std::uint64_t sum = 0;
  for (std::uint64_t rank : ranks) {
    nonzero += rank != 0 ? 1 : 0;
    sum = std::min(sum, ~std::uint64_t{0} - rank) + rank;
  }
  key.push_back(nonzero);
  key.push_back(sum);
}

/// Values and what comes after them. Parameters before rows: the same residuals are simpler with
/// parameters 0.
Key rest(const Case& problem) {
  Key parameters;
  add_ranks(problem.model.parameters, parameters);
  Key rows;
  backwards(problem, [&](const MicroBatch& batch) {
    add_ranks(batch.y, rows);
    add_ranks(batch.x, rows);
  });
  Key key;
  add_summary(parameters, key);
  add_summary(rows, key);
  key.insert(key.end(), parameters.begin(), parameters.end());
  key.insert(key.end(), rows.begin(), rows.end());
  const bool simplest_rate = problem.learning_rate == kSimplestLearningRate;
  key.push_back(simplest_rate ? 0 : 1 + value_rank(problem.learning_rate));
  key.push_back(problem.arrival.empty() ? 0 : 1);
  for (int rank : problem.arrival) key.push_back(as_entry(rank));
  key.push_back(problem.given == nullptr ? 0 : 1);
  return key;
}

int significant_bits(double value) {
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(value), &exponent);
  const auto whole = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
  return 53 - std::countr_zero(whole);
}

}  // namespace

std::uint64_t value_rank(double value) {
  constexpr double kSmallInteger = 1 << 20;
  constexpr std::uint64_t kFractions = std::uint64_t{1} << 22;
  constexpr std::uint64_t kNotFinite = std::uint64_t{1} << 32;
  const std::uint64_t sign = std::signbit(value) ? 1 : 0;
  if (!std::isfinite(value)) return kNotFinite + (std::isnan(value) ? 2 : sign);
  if (value == 0) return 2 * sign;
  const double magnitude = std::fabs(value);
  if (magnitude <= kSmallInteger && std::trunc(value) == value) {
    const auto integer = static_cast<std::uint64_t>(magnitude);
    return integer == 1 ? 1 + 2 * sign : 2 * integer + sign;
  }
  const auto bits = static_cast<std::uint64_t>(significant_bits(value));
  const auto exponent = static_cast<std::uint64_t>(std::abs(std::ilogb(value)));
  return kFractions + (bits << 13) + 2 * exponent + sign;
}

Simplicity::Simplicity(const Case& problem) : problem_(&problem) {
  add_sizes(problem, structure_);
  add_counts(problem, structure_);
}

bool operator<(const Simplicity& a, const Simplicity& b) {
  if (a.structure_ != b.structure_) return a.structure_ < b.structure_;
  return rest(*a.problem_) < rest(*b.problem_);
}

bool is_simpler(const Case& a, const Case& b) { return Simplicity(a) < Simplicity(b); }

}  // namespace shardproof
