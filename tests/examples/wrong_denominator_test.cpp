// The same with a mistake: the sum over all rows is divided by the number of ranks.

#include "ring_all_reduce.h"
#include "shardproof/properties/gtest.h"
#include "shardproof/subject/typed.h"

namespace {

void wrong_denominator(shardproof::Communicator& ranks, std::span<float> gradient,
                       shardproof::ValidCount mine) {
  for (float& g : gradient) g *= static_cast<float>(mine.value);
  ring_all_reduce(ranks, gradient);
  for (float& g : gradient) g /= static_cast<float>(ranks.world_size().value);
}

SHARDPROOF_CHECK(WrongDenominator,
                 shardproof::per_rank<float>("wrong denominator", {}, wrong_denominator));

}  // namespace
