#include "subject/reducers/leaf_sum.h"

#include <algorithm>
#include <utility>

#include "subject/reducers/leaf_rounding.h"

namespace shardproof {
namespace {

using Leaf = std::vector<double>;

/// Adds item `from` to item `into`, in this order: a sum of two items.
struct Merge {
  std::size_t into;
  std::size_t from;
};

/// Every order but the ring's and the compensated one is a list of such sums.
std::vector<Merge> in_sequence(std::size_t size) {
  std::vector<Merge> merges;
  for (std::size_t i = 1; i < size; ++i) merges.push_back({0, i});
  return merges;
}

std::vector<Merge> backwards(std::size_t size) {
  std::vector<Merge> merges;
  for (std::size_t i = size - 1; i-- > 0;) merges.push_back({size - 1, i});
  return merges;
}

std::vector<Merge> pairwise(std::size_t size) {
  std::vector<Merge> merges;
  for (std::size_t step = 1; step < size; step *= 2) {
    for (std::size_t i = 0; i + step < size; i += 2 * step) merges.push_back({i, i + step});
  }
  return merges;
}

std::vector<Merge> halving(std::size_t size) {
  std::size_t half = 1;
  while (2 * half <= size) half *= 2;
  std::vector<Merge> merges;
  for (std::size_t spare = half; spare < size; ++spare) merges.push_back({spare - half, spare});
  for (half /= 2; half > 0; half /= 2) {
    for (std::size_t i = 0; i < half; ++i) merges.push_back({i, i + half});
  }
  return merges;
}

std::vector<Merge> in_groups(std::size_t size, std::size_t group) {
  std::vector<Merge> merges;
  for (std::size_t i = 0; i < size; ++i) {
    if (i % group != 0) merges.push_back({i - i % group, i});
  }
  for (std::size_t leader = group; leader < size; leader += group) merges.push_back({0, leader});
  return merges;
}

/// SplitMix64 (Steele, Lea, Flood 2014): a generator that costs nothing to seed.
class Choices {
 public:
  explicit Choices(std::uint64_t seed) : state_(seed) {}
  std::size_t below(std::size_t limit) {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return static_cast<std::size_t>(z ^ (z >> 31U)) % limit;
  }

 private:
  std::uint64_t state_;
};

std::vector<Merge> at_random(std::size_t size, Choices choices) {
  std::vector<std::size_t> left(size);
  for (std::size_t i = 0; i < size; ++i) left[i] = i;
  std::vector<Merge> merges;
  while (left.size() > 1) {
    std::swap(left[choices.below(left.size())], left.back());
    const std::size_t from = left.back();
    left.pop_back();
    merges.push_back({left[choices.below(left.size())], from});
  }
  return merges;
}

/// Chunk c of a leaf starts at item c + 1 and goes round; every chunk ends up in item 0.
Leaf around_ring(Dtype dtype, const LeafBlock& block, const std::vector<Leaf>& items) {
  const std::size_t ranks = items.size();
  Leaf sum(items.front().size());
  for (std::size_t chunk = 0; chunk < ranks; ++chunk) {
    const auto in_block = [&](std::size_t element) {
      return std::clamp(element, block.first, block.first + sum.size()) - block.first;
    };
    const std::size_t first = in_block(chunk * block.of / ranks);
    const std::size_t size = in_block((chunk + 1) * block.of / ranks) - first;
    const auto part = [&](std::size_t i) {
      return std::span(items[(chunk + i) % ranks]).subspan(first, size);
    };
    const std::span<double> sums = std::span(sum).subspan(first, size);
    std::ranges::copy(part(1), sums.begin());
    for (std::size_t i = 2; i <= ranks; ++i) add(dtype, sums, part(i));
  }
  return sum;
}

Leaf compensated(Dtype dtype, const std::vector<Leaf>& items) {
  Leaf sum(items.front().size());
  Leaf lost(sum.size());
  for (const Leaf& item : items) add_compensated(dtype, sum, lost, item);
  return sum;
}

std::vector<Merge> merges_of(LeafOrder order, std::uint64_t seed, std::size_t size) {
  Choices choices(seed);
  switch (order) {
    case LeafOrder::backwards:
      return backwards(size);
    case LeafOrder::pairwise:
      return pairwise(size);
    case LeafOrder::halving_doubling:
      return halving(size);
    case LeafOrder::groups:
      return in_groups(size, 2 + choices.below(4));
    case LeafOrder::random_tree:
      return at_random(size, choices);
    case LeafOrder::forwards:
    case LeafOrder::ring:
    case LeafOrder::compensated:
      break;
  }
  return in_sequence(size);
}

}  // namespace

std::vector<double> sum_of_items(const LeafOrdering& how, Dtype dtype, std::vector<Leaf> items) {
  if (how.order == LeafOrder::ring) return around_ring(dtype, how.block, items);
  if (how.order == LeafOrder::compensated) return compensated(dtype, items);
  const std::vector<Merge> merges = merges_of(how.order, how.seed, items.size());
  for (const Merge& merge : merges) add(dtype, items[merge.into], items[merge.from]);
  return std::move(items[merges.empty() ? 0 : merges.back().into]);
}

}  // namespace shardproof
