#include "subject/plugin/buckets.h"

#include <algorithm>
#include <numeric>

namespace shardproof {
namespace {

std::size_t capacity(const TreeShape& shape, std::size_t turn) {
  constexpr std::size_t kTurns = 3;
  if (turn % kTurns == 0) return 2 * shape.size;  // with its gaps
  if (turn % kTurns == 1) return 1;
  return shape.size / 2 + 1;
}

}  // namespace

std::vector<Bucket> buckets_of(const TreeShape& shape, int step) {
  const auto turn = static_cast<std::size_t>(step) + shape.size;
  const std::size_t most = capacity(shape, turn);
  const std::size_t gap = turn % 2;
  std::vector<std::size_t> order(shape.leaves.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // As gradients become ready: from the last layer to the first.
  if (turn % 4 < 2) std::ranges::reverse(order);
  std::vector<Bucket> buckets;
  for (const std::size_t leaf : order) {
    const std::size_t size = shape.leaves[leaf].size();
    if (buckets.empty() || buckets.back().count + size > most) buckets.emplace_back();
    Bucket& bucket = buckets.back();
    bucket.leaves.push_back(leaf);
    bucket.offsets.push_back(bucket.count);
    bucket.count += size + gap;
  }
  return buckets;
}

}  // namespace shardproof
