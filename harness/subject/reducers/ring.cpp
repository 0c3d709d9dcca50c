#include <algorithm>

#include "subject/reducers/rank_sum.h"
#include "subject/reducers/rounded.h"

namespace shardproof {
namespace {

/// Chunk c of P nearly equal ones; empty ones where there are fewer elements than ranks.
struct Chunk {
  std::size_t begin;
  std::size_t size;
};

Chunk chunk(std::size_t elements, int index, int world) {
  const auto c = static_cast<std::size_t>((index % world + world) % world);
  const auto parts = static_cast<std::size_t>(world);
  const std::size_t begin = c * elements / parts;
  return {begin, (c + 1) * elements / parts - begin};
}

}  // namespace

void sum_around_ring(RankSum sum) {
  auto& [ranks, accumulate, data] = sum;
  const int world = ranks.world_size().value;
  const int me = ranks.rank().index;
  const Rank next{(me + 1) % world};
  const Rank previous{(me + world - 1) % world};
  const std::span<double> values(data.values);
  const std::span<double> scratch(data.scratch);
  const auto pass_on = [&](int sent, int received) {
    const Chunk out = chunk(values.size(), sent, world);
    const Chunk in = chunk(values.size(), received, world);
    if (out.size > 0) ranks.send<double>(next, values.subspan(out.begin, out.size));
    if (in.size > 0) ranks.receive<double>(previous, scratch.first(in.size));
    return in;
  };
  // Reduce-scatter: afterwards this rank holds the whole sum of chunk me + 1.
  for (int i = 0; i < world - 1; ++i) {
    const Chunk in = pass_on(me - i, me - i - 1);
    add_rounded(accumulate, values, in.begin, scratch.first(in.size));
  }
  // All-gather: finished chunks go round once.
  for (int i = 0; i < world - 1; ++i) {
    const Chunk in = pass_on(me + 1 - i, me - i);
    std::ranges::copy(scratch.first(in.size), values.subspan(in.begin).begin());
  }
}

}  // namespace shardproof
