#include "shardproof/generators/splits.h"

#include <algorithm>
#include <string>
#include <tuple>

#include "shardproof/case/error.h"

namespace shardproof {
namespace {

using Counts = std::vector<RowCount>;

int valid_rows(const Counts& shard) {
  int sum = 0;
  for (const RowCount& count : shard) sum += count.valid;
  return sum;
}

/// Draws one split; the conditions that chance did not bring about are added at the end.
class Draw {
 public:
  Draw(Source& source, const SplitRequest& request)
      : source_(source),
        request_(request),
        unequal_(request.conditions.contains(Condition::unequal)),
        padded_(request.conditions.contains(Condition::padded)),
        empty_(request.conditions.contains(Condition::empty)),
        most_rows_(std::clamp(request.max_rows, std::max(request.rows.low, 1), request.rows.high)),
        equal_rows_(draw_equal_rows()) {}

  Split operator()() {
    choose_empty_shards();
    for (const bool is_empty : is_empty_) {
      split_.shards.push_back(is_empty ? empty_shard() : filled_shard());
    }
    if (unequal_) make_unequal();
    if (padded_) make_padded();
    return std::move(split_);
  }

 private:
  int draw_equal_rows() {
    const int fewest = std::clamp(padded_ ? 2 : 1, request_.rows.low, request_.rows.high);
    return source_.between(fewest, std::max(fewest, most_rows_));
  }

  int draw_rows(int fewest) {
    fewest = std::max(fewest, request_.rows.low);
    return unequal_ ? source_.between(fewest, std::max(fewest, most_rows_)) : equal_rows_;
  }

  /// At least one shard is empty and one is not; two are not where two shards have to differ.
  void choose_empty_shards() {
    const int world = request_.world;
    is_empty_.assign(static_cast<std::size_t>(world), false);
    if (!empty_) return;
    const int filled = unequal_ && request_.micro_batches == 1 ? 2 : 1;
    std::vector<int> order(static_cast<std::size_t>(world));
    for (int shard = 0; shard < world; ++shard) order[static_cast<std::size_t>(shard)] = shard;
    source_.shuffle(std::span<int>(order));
    is_empty_[static_cast<std::size_t>(order.back())] = true;
    for (int i = filled; i + 1 < world; ++i) {
      is_empty_[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])] =
          source_.chance(1, 4);
    }
  }

  Counts empty_shard() {
    Counts shard;
    const bool rows = (padded_ && source_.chance(1, 2)) || request_.rows.low > 0;
    for (int k = 0; k < request_.micro_batches; ++k) {
      shard.push_back({.rows = rows ? draw_rows(0) : 0, .valid = 0});
    }
    return shard;
  }

  Counts filled_shard() {
    Counts shard;
    for (int k = 0; k < request_.micro_batches; ++k) {
      const int rows = draw_rows(source_.chance(1, 8) ? 0 : 1);
      const int valid = padded_ && source_.chance(2, 3) ? source_.between(0, rows) : rows;
      shard.push_back({.rows = rows, .valid = valid});
    }
    if (valid_rows(shard) > 0) return shard;
    RowCount& count = shard[static_cast<std::size_t>(source_.below(request_.micro_batches))];
    count.rows = std::max(count.rows, 1);
    count.valid = 1;
    return shard;
  }

  /// The micro-batches of shards that have a valid row.
  std::vector<RowCount*> filled_micro_batches() {
    std::vector<RowCount*> found;
    for (std::size_t shard = 0; shard < is_empty_.size(); ++shard) {
      if (is_empty_[shard]) continue;
      for (RowCount& count : split_.shards[shard]) found.push_back(&count);
    }
    return found;
  }

  /// Two micro-batches with valid rows differ in rows.
  void make_unequal() {
    const std::vector<RowCount*> all = filled_micro_batches();
    const auto first =
        std::find_if(all.begin(), all.end(), [](RowCount* count) { return count->valid > 0; });
    const auto differs = [&](const RowCount* count) {
      return count->valid > 0 && count->rows != (*first)->rows;
    };
    if (std::any_of(all.begin(), all.end(), differs)) return;
    RowCount& other = **(first == all.begin() ? all.end() - 1 : all.begin());
    const bool one_more_fits = (*first)->rows < request_.rows.high;
    other.rows = (*first)->rows + (one_more_fits ? 1 : -1);
    other.valid = std::clamp(other.valid, 1, other.rows);
    if (!padded_) other.valid = other.rows;
  }

  void make_padded() {
    for (const Counts& shard : split_.shards) {
      for (const RowCount& count : shard) {
        if (count.valid < count.rows) return;
      }
    }
    const std::vector<RowCount*> all = filled_micro_batches();
    RowCount& count = **std::find_if(all.begin(), all.end(),
                                     [](RowCount* candidate) { return candidate->valid > 0; });
    if (count.rows > 1) {
      --count.valid;  // its shard keeps another valid row
    } else if (const auto roomy =
                   std::find_if(all.begin(), all.end(),
                                [](RowCount* candidate) { return candidate->valid > 1; });
               request_.rows.high != kMaxRows && roomy != all.end()) {
      --(*roomy)->valid;
    } else {
      grow(count, all);
    }
  }

  /// Adds a padded row to a micro-batch of one row, where rows may differ: equal ones are at
  /// least 2. Micro-batches of two rows keep it unequal to others.
  static void grow(RowCount& count, const std::vector<RowCount*>& all) {
    int rows = 0;
    for (const RowCount* other : all) rows = std::max(rows, other->rows);
    count.rows = rows + 1;
  }

  Source& source_;
  const SplitRequest& request_;
  bool unequal_;
  bool padded_;
  bool empty_;
  int most_rows_;   ///< of a micro-batch where they are drawn
  int equal_rows_;  ///< of a micro-batch where all have as many
  std::vector<bool> is_empty_;
  Split split_;
};

void check(const SplitRequest& request) {
  const ConditionSet wanted = request.conditions;
  if (wanted.none()) throw InputError("split", "no condition is requested");
  if (wanted.contains(Condition::equal) && wanted != ConditionSet{Condition::equal}) {
    throw InputError("split", "equal holds alone or not at all, requested are " + describe(wanted));
  }
  if (!rows_admit(wanted, request.rows) || with_companions(wanted, request.rows) != wanted) {
    throw InputError("split", describe(wanted) + " cannot hold with " +
                                  std::to_string(request.rows.low) + ".." +
                                  std::to_string(request.rows.high) + " rows of a micro-batch");
  }
  if (request.world < least_world(wanted) || request.micro_batches < 1 ||
      request.micro_batches < least_micro_batches(wanted, request.world)) {
    throw InputError("split", describe(wanted) + " cannot hold with " +
                                  std::to_string(request.world) + " ranks and " +
                                  std::to_string(request.micro_batches) + " micro-batches");
  }
}

/// Rows and padded rows of all shards together.
RowCount total(const Split& split) {
  RowCount sum;
  for (const Counts& shard : split.shards) {
    for (const RowCount& count : shard) {
      sum.rows += count.rows;
      sum.valid += count.valid;
    }
  }
  return sum;
}

bool visit_fewer_rows(const Split& split, const std::function<bool(Split)>& visit) {
  for (std::size_t shard = 0; shard < split.shards.size(); ++shard) {
    for (std::size_t k = 0; k < split.shards[shard].size(); ++k) {
      const RowCount count = split.shards[shard][k];
      const auto offer = [&](RowCount simpler) {
        Split candidate = split;
        candidate.shards[shard][k] = simpler;
        return candidate.valid() == 0 || visit(std::move(candidate));
      };
      if (count.rows == 0) continue;
      const bool padding = count.valid < count.rows;
      if (!offer({0, 0})) return false;
      if (count.valid > 0 && !offer({count.rows - 1, count.valid - 1})) return false;
      if (padding && !offer({count.rows - 1, count.valid})) return false;
      if (padding && !offer({count.rows, count.valid + 1})) return false;
    }
  }
  return true;
}

}  // namespace

int Split::valid() const {
  int sum = 0;
  for (const Counts& shard : shards) sum += valid_rows(shard);
  return sum;
}

ConditionSet conditions(const Split& split) {
  Step step;
  for (const Counts& counts : split.shards) {
    Shard& shard = step.shards.emplace_back();
    for (const RowCount& count : counts) {
      MicroBatch& rows = shard.micro_batches.emplace_back();
      rows.mask.assign(static_cast<std::size_t>(count.rows), 0);
      std::fill_n(rows.mask.begin(), count.valid, std::uint8_t{1});
    }
  }
  return conditions(step);
}

ConditionSet with_companions(ConditionSet conditions, const SizeRange& rows) {
  if (conditions.contains(Condition::empty) && rows.low > 0) conditions.insert(Condition::padded);
  return conditions;
}

bool rows_admit(ConditionSet conditions, const SizeRange& rows) {
  if (rows.high < 1) return false;
  if (conditions.contains(Condition::unequal) && rows.high <= std::max(rows.low, 1)) return false;
  // One row is valid or it is padding; only an empty shard may have nothing else.
  const bool shard_of_padding = conditions.contains(Condition::empty) && rows.low > 0;
  return !conditions.contains(Condition::padded) || rows.high >= 2 || shard_of_padding;
}

int least_world(ConditionSet conditions, int micro_batches) {
  const bool over_ranks = conditions.contains(Condition::unequal) && micro_batches == 1;
  return (conditions.contains(Condition::empty) ? 2 : 1) + (over_ranks ? 1 : 0);
}

int least_micro_batches(ConditionSet conditions, int world) {
  if (!conditions.contains(Condition::unequal)) return 1;
  return world - (conditions.contains(Condition::empty) ? 1 : 0) >= 2 ? 1 : 2;
}

Split draw_split(Source& source, const SplitRequest& request) {
  check(request);
  return Draw(source, request)();
}

bool is_simpler(const Split& a, const Split& b) {
  const RowCount rows_a = total(a);
  const RowCount rows_b = total(b);
  return std::tuple(a.shards.size(), a.shards.front().size(), rows_a.rows, -rows_a.valid) <
         std::tuple(b.shards.size(), b.shards.front().size(), rows_b.rows, -rows_b.valid);
}

void for_each_simpler(const Split& split, const std::function<bool(Split)>& visit) {
  for (std::size_t i = 0; i < split.shards.size() && split.shards.size() > 1; ++i) {
    Split simpler = split;
    simpler.shards.erase(simpler.shards.begin() + static_cast<std::ptrdiff_t>(i));
    if (simpler.valid() > 0 && !visit(std::move(simpler))) return;
  }
  const std::size_t micro_batches = split.shards.front().size();
  for (std::size_t k = 0; k < micro_batches && micro_batches > 1; ++k) {
    Split simpler = split;
    for (Counts& shard : simpler.shards)
      shard.erase(shard.begin() + static_cast<std::ptrdiff_t>(k));
    if (simpler.valid() > 0 && !visit(std::move(simpler))) return;
  }
  visit_fewer_rows(split, visit);
}

}  // namespace shardproof
