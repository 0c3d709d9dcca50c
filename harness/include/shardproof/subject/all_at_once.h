#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "shardproof/subject/reducer.h"
#include "shardproof/subject/subject.h"

namespace shardproof {

/// A plain function from all contributions of a step, [shard][micro-batch], to one tree.
using ReduceAll =
    std::function<Reduced(std::span<std::vector<Contribution>> contributions, Dtype dtype)>;

/// A subject of a plain function, without threads. Every rank is taken to return its result.
/// \throws InputError  when the claim is inconsistent
std::unique_ptr<Subject> all_at_once(std::string name, Claim claim, ReduceAll reduce);

}  // namespace shardproof
