#pragma once

#include <shardproof/subject/all_at_once.h>

#include <memory>
#include <span>
#include <vector>

/// The weighted mean of everything, in binary64 and rounded once more at the end.
inline shardproof::Reduced mean(std::span<std::vector<shardproof::Contribution>> shards,
                                shardproof::Dtype dtype) {
  double rows = 0;
  shardproof::Tree total(shards[0][0].gradient.shared_shape());
  for (const std::vector<shardproof::Contribution>& shard : shards) {
    for (const shardproof::Contribution& contribution : shard) {
      const auto count = static_cast<double>(contribution.valid.value);
      rows += count;
      for (std::size_t i = 0; i < total.values().size(); ++i) {
        total.values()[i] += count * contribution.gradient.values()[i];
      }
    }
  }
  if (rows == 0) throw shardproof::Decline("no valid row");
  for (double& value : total.values()) value = shardproof::round_to(dtype, value / rows);
  return {.gradient = total, .loss = {}, .count = rows, .norm = {}};
}

inline std::unique_ptr<shardproof::Subject> mean_subject() {
  shardproof::Claim claim;
  claim.accumulate = shardproof::Dtype::f64;
  return shardproof::all_at_once("mean", claim, mean);
}
