#include "shardproof/generators/splits.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "generators/conformance.h"
#include "shardproof/case/error.h"
#include "shardproof/generators/arbitrary.h"

namespace shardproof {
namespace {

/// Every set of conditions that can hold at once.
std::vector<ConditionSet> possible_sets() {
  std::vector<ConditionSet> sets{{Condition::equal}};
  for (int bits = 1; bits < 8; ++bits) {
    ConditionSet set;
    if ((bits & 1) != 0) set.insert(Condition::unequal);
    if ((bits & 2) != 0) set.insert(Condition::padded);
    if ((bits & 4) != 0) set.insert(Condition::empty);
    sets.push_back(set);
  }
  return sets;
}

std::optional<std::string> outside(const SplitRequest& request, const Split& split) {
  if (static_cast<int>(split.shards.size()) > request.world) return "more shards";
  if (split.valid() == 0) return "no valid row";
  for (const std::vector<RowCount>& shard : split.shards) {
    if (shard.size() != split.shards.front().size()) return "micro-batches differ in number";
    if (static_cast<int>(shard.size()) > request.micro_batches) return "more micro-batches";
    for (const RowCount& count : shard) {
      if (count.valid < 0 || count.valid > count.rows) return "counts";
    }
  }
  if (!request.conditions.contains_all(conditions(split))) {
    return "conditions " + describe(conditions(split));
  }
  return std::nullopt;
}

void expect_exact_conditions(const SplitRequest& request) {
  Source source{rc::Random(static_cast<std::uint64_t>(request.world))};
  for (int i = 0; i < 50; ++i) {
    const Split split = draw_split(source, request);
    ASSERT_EQ(static_cast<int>(split.shards.size()), request.world);
    ASSERT_GT(split.valid(), 0);
    ASSERT_EQ(conditions(split), request.conditions)
        << describe(request.conditions) << " became " << describe(conditions(split)) << ", world "
        << request.world << ", micro-batches " << request.micro_batches;
  }
}

TEST(Splits, HaveExactlyTheRequestedConditions) {
  for (const ConditionSet wanted : possible_sets()) {
    for (int world = least_world(wanted); world <= 5; ++world) {
      for (int k = least_micro_batches(wanted, world); k <= 3; ++k) {
        expect_exact_conditions({wanted, world, k, 1});
        expect_exact_conditions({wanted, world, k, 6});
      }
    }
  }
}

TEST(Splits, Conform) {
  for (const ConditionSet wanted : possible_sets()) {
    const SplitRequest request{wanted, 4, 2, 6};
    expect_conforms<Split>(
        {.name = "splits of " + describe(wanted),
         .generator = arbitrary_split(request),
         .objection = [=](const Split& split) { return outside(request, split); },
         .is_simpler = [](const Split& a, const Split& b) { return is_simpler(a, b); },
         .draws = 30});
  }
}

TEST(Splits, HaveEmptyShardsWithAndWithoutPaddedRows) {
  Source source{rc::Random(5)};
  std::set<bool> with_rows;
  for (int i = 0; i < 50; ++i) {
    const Split split = draw_split(source, {{Condition::padded, Condition::empty}, 3, 1, 4});
    for (const std::vector<RowCount>& shard : split.shards) {
      if (shard.front().valid == 0) with_rows.insert(shard.front().rows > 0);
    }
  }
  EXPECT_EQ(with_rows.size(), 2U);
}

TEST(Splits, ThatCannotBeAreRefused) {
  Source source{rc::Random(5)};
  EXPECT_THROW(draw_split(source, {{Condition::empty}, 1, 1, 4}), InputError);
  EXPECT_THROW(draw_split(source, {{Condition::unequal}, 1, 1, 4}), InputError);
  EXPECT_THROW(draw_split(source, {{Condition::unequal, Condition::empty}, 2, 1, 4}), InputError);
  EXPECT_THROW(draw_split(source, {{}, 2, 1, 4}), InputError);
  EXPECT_THROW(draw_split(source, {{Condition::equal, Condition::padded}, 2, 1, 4}), InputError);
}

}  // namespace
}  // namespace shardproof
