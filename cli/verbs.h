#pragma once

#include "options.h"

namespace shardproof::cli {

/// The verbs of the program. Each prints to stdout what was found and returns the exit status.
/// \throws InputError  for what the user gave and cannot be used

int check(const CheckRequest& request);
int replay(const ReplayRequest& request);
int explain(const ExplainRequest& request);
int bound(const BoundRequest& request);
int claim(const ClaimRequest& request);
int soak(const SoakRequest& request);
int list();
int list_faults();
int demo();
int init(const InitRequest& request);
int generate(const GenerateRequest& request);
int judge(const JudgeRequest& request);
int mutate(const MutateRequest& request);

}  // namespace shardproof::cli
