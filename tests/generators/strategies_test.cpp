#include "shardproof/generators/strategies.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "generators/conformance.h"
#include "shardproof/case/error.h"
#include "shardproof/generators/arbitrary.h"

namespace shardproof {
namespace {

std::optional<std::string> outside(const Strategy& strategy) {
  try {
    validate(claim_of(strategy));
    if (parse_strategy(name(strategy)) == strategy) return std::nullopt;
    return name(strategy) + " does not read back";
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(Strategies, Conform) {
  expect_conforms<Strategy>(
      {.name = "strategies",
       .generator = arbitrary_strategy(),
       .objection = outside,
       .is_simpler = [](const Strategy& a, const Strategy& b) { return is_simpler(a, b); }});
}

TEST(Strategies, EndAtTheDefault) {
  const Strategy usual;
  int simpler = 0;
  for_each_simpler(usual, [&](const Strategy&) { return ++simpler > 0; });
  EXPECT_EQ(simpler, 0);
}

TEST(Strategies, CoverEveryCombinationOfNames) {
  Source source{rc::Random(1)};
  std::set<std::string> drawn;
  for (int i = 0; i < 5000; ++i) drawn.insert(name(draw_strategy(source)));
  EXPECT_EQ(drawn.size(),
            named_topologies().size() * named_scalings().size() * (all_dtypes().size() + 1));
}

}  // namespace
}  // namespace shardproof
