#pragma once

#include <cstdint>
#include <optional>

namespace shardproof::cli {

/// The seed asked for; else a random one, so that every run by hand looks elsewhere, and 0 in CI,
/// where a red run must stay red.
std::uint64_t chosen_seed(std::optional<std::uint64_t> asked_for);

}  // namespace shardproof::cli
