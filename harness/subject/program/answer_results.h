#pragma once

#include <vector>

#include "case/json_reader.h"
#include "subject/program/answer.h"

namespace shardproof {

/// Whose result of which step is being read.
struct PlaceInAnswer {
  int step = 0;
  int rank = 0;
};

/// Reads the value of `steps`: [step][rank of the question].
/// \throws InputError  naming the place in the answer; it is left in `place`, too
std::vector<std::vector<RankResult>> read_results(JsonReader& reader, const Question& question,
                                                  PlaceInAnswer& place);

}  // namespace shardproof
