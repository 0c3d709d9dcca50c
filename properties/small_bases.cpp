#include "small_bases.h"

#include <algorithm>
#include <map>
#include <string>

#include "shardproof/case/small_cases.h"

namespace shardproof {
namespace {

constexpr int kOfEachSize = 2;
constexpr std::size_t kMost = 60;
constexpr int kMostVisited = 2'000'000;

/// Sizes and how rows lie on ranks, without a value.
std::string size_of(const Case& problem) {
  std::string size = std::to_string(problem.model.parameters.size());
  for (const Shard& shard : problem.steps.front().shards) {
    size += '|';
    for (const MicroBatch& batch : shard.micro_batches) {
      size += ' ' + std::to_string(batch.rows()) + '/' + std::to_string(batch.valid().value);
    }
  }
  return size;
}

bool all_zero(const std::vector<double>& values) {
  return std::ranges::all_of(values, [](double value) { return value == 0; });
}

/// Whether the first rank alone has a gradient: then its weight shows.
bool tells(const Case& problem) {
  const std::vector<Shard>& shards = problem.steps.front().shards;
  if (!all_zero(problem.model.parameters)) return false;
  for (std::size_t r = 0; r < shards.size(); ++r) {
    for (const MicroBatch& batch : shards[r].micro_batches) {
      if (r > 0 && !(all_zero(batch.x) && all_zero(batch.y))) return false;
    }
  }
  const MicroBatch& first = shards.front().micro_batches.front();
  return first.valid().value > 0 && first.x.front() == 1 && first.y.front() == 1;
}

}  // namespace

std::vector<Case> small_bases(const Claim& claim, const DrawOptions& options, const Case& bound) {
  std::vector<Case> chosen;
  std::map<std::string, int> met;
  int visited = 0;
  for_each_small_case({.steps = 1, .leaves = 1}, bound, [&](const Case& problem) {
    if (tells(problem) && admits(options, problem) && !excluded_by(claim, problem) &&
        met[size_of(problem)]++ < kOfEachSize) {
      chosen.push_back(problem);
    }
    return chosen.size() < kMost && ++visited < kMostVisited;
  });
  return chosen;
}

}  // namespace shardproof
