#pragma once

#include <CLI/CLI.hpp>

#include "options.h"

namespace shardproof::cli {

/// Each adds one verb with its options, which are read into the request.
void add_check(CLI::App& app, CheckRequest& to);
void add_replay(CLI::App& app, ReplayRequest& to);
void add_claim(CLI::App& app, ClaimRequest& to);
void add_generate(CLI::App& app, GenerateRequest& to);
void add_judge(CLI::App& app, JudgeRequest& to);
void add_bound(CLI::App& app, BoundRequest& to);
void add_soak(CLI::App& app, SoakRequest& to);
void add_mutate(CLI::App& app, MutateRequest& to);

}  // namespace shardproof::cli
