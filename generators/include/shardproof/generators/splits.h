#pragma once

#include <functional>
#include <vector>

#include "shardproof/case/condition.h"
#include "shardproof/case/shapes.h"
#include "shardproof/generators/source.h"

namespace shardproof {

/// The size of a micro-batch: all its rows, and those that the mask keeps.
struct RowCount {
  int rows = 0;
  int valid = 0;
  friend bool operator==(const RowCount&, const RowCount&) = default;
};

/// How the rows of a step lie on its shards and micro-batches: [shard][micro-batch].
struct Split {
  std::vector<std::vector<RowCount>> shards;

  [[nodiscard]] int valid() const;
  friend bool operator==(const Split&, const Split&) = default;
};

/// What a split is drawn for.
struct SplitRequest {
  ConditionSet conditions{Condition::equal};  ///< all of them hold and no other; `equal` is alone
  int world = 1;
  int micro_batches = 1;
  int max_rows = 6;  ///< of a micro-batch, but that one row more may be needed for a condition
  SizeRange rows{0, kMaxRows};  ///< of a micro-batch, always
};

/// The conditions that hold of a step with this split.
ConditionSet conditions(const Split& split);

/// What holds too where these conditions hold and micro-batches have such rows: an empty rank that
/// has to have rows has padding.
ConditionSet with_companions(ConditionSet conditions, const SizeRange& rows);

/// Whether micro-batches of such rows can have these conditions, companions included.
bool rows_admit(ConditionSet conditions, const SizeRange& rows);

/// The fewest ranks on which these conditions can hold while some row is valid, and the fewest
/// micro-batches on a world of that size. \param micro_batches  the most that a step may have
int least_world(ConditionSet conditions, int micro_batches = kMaxMicroBatches);
int least_micro_batches(ConditionSet conditions, int world);

/// A split with exactly the requested conditions and at least one valid row.
/// \throws InputError  when there is none, such as an empty rank in a world of one
/// \pre `rows_admit(request.conditions, request.rows)`
Split draw_split(Source& source, const SplitRequest& request);

/// Whether `a` is strictly simpler than `b`: fewer shards, then micro-batches, rows, padded rows.
bool is_simpler(const Split& a, const Split& b);

/// Hands strictly simpler splits with at least one valid row to `visit`, boldest first, until it
/// returns false. Their conditions may be others.
void for_each_simpler(const Split& split, const std::function<bool(Split)>& visit);

}  // namespace shardproof
