#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "shardproof/world/communicator.h"

/// Sums `values` over all ranks in place: every chunk travels once around the ring and is summed
/// up on its way (reduce-scatter), then travels around once more as it is (all-gather).
inline void ring_all_reduce(shardproof::Communicator& ranks, std::span<float> values) {
  const int world = ranks.world_size().value;
  const int me = ranks.rank().index;
  const shardproof::Rank next{(me + 1) % world};
  const shardproof::Rank previous{(me + world - 1) % world};
  const auto chunk = [&](int index) {
    const auto size = static_cast<std::size_t>(world);
    const auto i = static_cast<std::size_t>((index + world) % world);
    const std::size_t begin = values.size() * i / size;
    return values.subspan(begin, values.size() * (i + 1) / size - begin);
  };
  std::vector<float> incoming;
  for (int hop = 0; hop + 1 < world; ++hop) {
    ranks.send<float>(next, chunk(me - hop));
    const std::span<float> sums = chunk(me - hop - 1);
    incoming.resize(sums.size());
    ranks.receive<float>(previous, incoming);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += incoming[i];
  }
  for (int hop = 0; hop + 1 < world; ++hop) {
    ranks.send<float>(next, chunk(me + 1 - hop));
    ranks.receive<float>(previous, chunk(me - hop));
  }
}
