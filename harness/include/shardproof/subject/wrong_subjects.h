#pragma once

#include <string>
#include <vector>

#include "shardproof/subject/reducer.h"
#include "shardproof/subject/train_step.h"

namespace shardproof {

/// A reducer that starts its sum at another rank in every trial of a world size: right within any
/// bound, but not repeatable.
ReducerFactory reducers_of_changing_order();

/// A built-in subject that breaks its claim. All claim the weighted mean under all conditions.
struct WrongReducer {
  std::string name;
  std::string summary;
  Claim claim;
  ReducerFactory reducers;
};
std::vector<WrongReducer> wrong_reducers();

struct WrongTrainStep {
  std::string name;
  std::string summary;
  Claim claim;
  TrainStepFactory steps;
};
std::vector<WrongTrainStep> wrong_train_steps();

}  // namespace shardproof
