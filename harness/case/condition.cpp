#include "shardproof/case/condition.h"

namespace shardproof {

ConditionSet conditions(const Step& step) {
  bool padded = false;
  bool empty = false;
  bool same_rows = true;       // over all micro-batches
  bool same_non_empty = true;  // over the micro-batches of shards that have a valid row
  int rows = -1;
  int non_empty_rows = -1;
  for (const Shard& shard : step.shards) {
    const bool has_rows = shard.valid().value > 0;
    empty = empty || !has_rows;
    for (const MicroBatch& micro_batch : shard.micro_batches) {
      padded = padded || micro_batch.valid().value != micro_batch.rows();
      if (rows < 0) rows = micro_batch.rows();
      same_rows = same_rows && rows == micro_batch.rows();
      if (!has_rows) continue;
      if (non_empty_rows < 0) non_empty_rows = micro_batch.rows();
      same_non_empty = same_non_empty && non_empty_rows == micro_batch.rows();
    }
  }
  if (same_rows && !padded && !empty) return {Condition::equal};
  ConditionSet found;
  if (!same_non_empty) found.insert(Condition::unequal);
  if (padded) found.insert(Condition::padded);
  if (empty) found.insert(Condition::empty);
  return found;
}

ConditionSet conditions(const Case& problem) {
  ConditionSet found;
  for (const Step& step : problem.steps) found |= conditions(step);
  return found;
}

std::string_view name(Condition condition) {
  switch (condition) {
    case Condition::equal:
      return "equal";
    case Condition::unequal:
      return "unequal";
    case Condition::padded:
      return "padded";
    case Condition::empty:
      return "empty";
  }
  return "";
}

std::optional<Condition> parse_condition(std::string_view text) {
  for (Condition condition : kAllConditions) {
    if (name(condition) == text) return condition;
  }
  return std::nullopt;
}

std::string describe(ConditionSet conditions) {
  std::string text;
  for (Condition condition : kAllConditions) {
    if (!conditions.contains(condition)) continue;
    if (!text.empty()) text += ", ";
    text += name(condition);
  }
  return text;
}

}  // namespace shardproof
