#include <algorithm>
#include <numeric>

#include "shardproof/generators/batches.h"

namespace shardproof {
namespace {

/// The first value in which the steps differ in simplicity decides: negative when `a` is simpler.
int compare(const std::vector<double>& a, const std::vector<double>& b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (is_simpler(a[i], b[i])) return -1;
    if (is_simpler(b[i], a[i])) return 1;
  }
  return 0;
}

int compare(const Step& a, const Step& b) {
  for (std::size_t shard = 0; shard < std::min(a.shards.size(), b.shards.size()); ++shard) {
    const auto& batches_a = a.shards[shard].micro_batches;
    const auto& batches_b = b.shards[shard].micro_batches;
    for (std::size_t k = 0; k < std::min(batches_a.size(), batches_b.size()); ++k) {
      const int x = compare(batches_a[k].x, batches_b[k].x);
      if (x != 0) return x;
      const int y = compare(batches_a[k].y, batches_b[k].y);
      if (y != 0) return y;
    }
  }
  return 0;
}

bool visit_simpler_values(const Step& step, std::size_t shard, std::size_t k,
                          std::vector<double> MicroBatch::*values,
                          const std::function<bool(Step)>& visit) {
  const std::vector<double>& now = step.shards[shard].micro_batches[k].*values;
  bool wanted = true;
  for (std::size_t i = 0; i < now.size() && wanted; ++i) {
    for_each_simpler(now[i], [&](double value) {
      Step simpler = step;
      (simpler.shards[shard].micro_batches[k].*values)[i] = value;
      return wanted = visit(std::move(simpler));
    });
  }
  return wanted;
}

int pairs_out_of_order(const std::vector<int>& arrival) {
  int pairs = 0;
  for (std::size_t i = 0; i < arrival.size(); ++i) {
    for (std::size_t j = i + 1; j < arrival.size(); ++j) pairs += arrival[i] > arrival[j] ? 1 : 0;
  }
  return pairs;
}

}  // namespace

bool is_simpler(const Step& a, const Step& b) { return compare(a, b) < 0; }

void for_each_simpler(const Step& step, const std::function<bool(Step)>& visit) {
  for (std::size_t shard = 0; shard < step.shards.size(); ++shard) {
    for (std::size_t k = 0; k < step.shards[shard].micro_batches.size(); ++k) {
      if (!visit_simpler_values(step, shard, k, &MicroBatch::x, visit)) return;
      if (!visit_simpler_values(step, shard, k, &MicroBatch::y, visit)) return;
    }
  }
}

bool is_simpler_arrival(const std::vector<int>& a, const std::vector<int>& b) {
  if (a.empty() || b.empty()) return a.empty() && !b.empty();
  return pairs_out_of_order(a) < pairs_out_of_order(b);
}

void for_each_simpler_arrival(const std::vector<int>& arrival,
                              const std::function<bool(std::vector<int>)>& visit) {
  if (arrival.empty() || !visit({})) return;
  if (pairs_out_of_order(arrival) == 0) return;
  std::vector<int> sorted(arrival.size());
  std::iota(sorted.begin(), sorted.end(), 0);
  if (!visit(std::move(sorted))) return;
  for (std::size_t i = 0; i + 1 < arrival.size(); ++i) {
    if (arrival[i] < arrival[i + 1]) continue;
    std::vector<int> simpler = arrival;
    std::swap(simpler[i], simpler[i + 1]);
    if (!visit(std::move(simpler))) return;
  }
}

}  // namespace shardproof
