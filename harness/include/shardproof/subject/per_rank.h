#pragma once

#include <memory>
#include <string>

#include "shardproof/subject/reducer.h"
#include "shardproof/subject/subject.h"
#include "shardproof/subject/train_step.h"

namespace shardproof {

/// A subject of one reducer object per rank, each on its rank's thread; every rank computes its own
/// contributions there.
/// \throws InputError  when the claim is inconsistent
std::unique_ptr<Subject> per_rank(std::string name, Claim claim, ReducerFactory factory);

/// A subject of one train-step object per rank. Step s starts from the parameters that the rank
/// returned after step s - 1.
std::unique_ptr<Subject> per_rank(std::string name, Claim claim, TrainStepFactory factory);

}  // namespace shardproof
