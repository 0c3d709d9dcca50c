#include <algorithm>
#include <array>
#include <numeric>

#include "fit.h"
#include "plan.h"

namespace shardproof {
namespace {

/// World size, micro-batches, counts and leaf lengths that are pairwise unlike, so that two faults
/// which both scale by one of them predict unlike results.
struct Outline {
  int world;
  int micro_batches;
  std::array<int, 8> valid;  ///< by shard, over and over
  int equal_rows;            ///< of every micro-batch where all shards are equal
  int features;
  std::array<Layer, 2> layers;
  double learning_rate;
};

// Leaf lengths: 22 11 2 1; 12 3 8; 5 1 10.
constexpr std::array<Outline, kDiscriminating> kOutlines{
    Outline{5, 3, {7, 3, 1, 0, 2, 5, 4, 6}, 2, 2, {Layer{11, true}, Layer{1, true}}, 0.5},
    Outline{3, 2, {2, 0, 5, 3, 1, 7, 4, 6}, 3, 4, {Layer{3, true}, Layer{2, false}}, 0.25},
    Outline{4, 1, {1, 6, 0, 3, 2, 5, 4, 7}, 7, 5, {Layer{1, true}, Layer{2, false}}, 0.125}};

/// `total` rows over `count` micro-batches, halved each time (7: 4 2 1), from micro-batch `first`
/// on.
std::vector<int> halved(int total, int count, int first) {
  std::vector<int> rows(static_cast<std::size_t>(count));
  for (int k = 0; k < count; ++k) {
    const int part = k + 1 == count ? total : (total + 1) / 2;
    rows[static_cast<std::size_t>((first + k) % count)] = part;
    total -= part;
  }
  return rows;
}

/// The valid rows of a shard, one by one over micro-batches that have room, from `first` on.
std::vector<RowCount> spread_valid(int valid, const std::vector<int>& rows, int first) {
  std::vector<RowCount> counts;
  for (const int row_count : rows) counts.push_back({.rows = row_count, .valid = 0});
  for (std::size_t k = static_cast<std::size_t>(first); valid > 0; ++k) {
    RowCount& count = counts[k % counts.size()];
    if (count.valid == count.rows) continue;
    ++count.valid;
    --valid;
  }
  return counts;
}

/// Valid counts of the shards in one step; each step starts further on in the outline.
std::vector<int> valid_counts(const Outline& outline, ConditionSet wanted, int world, int step) {
  if (world == 1) return {7};  // unlike in its micro-batches: 4 2 1
  std::vector<int> counts;
  for (int shard = 0; shard < world; ++shard) {
    const int valid = outline.valid[static_cast<std::size_t>(shard + step) % outline.valid.size()];
    counts.push_back(valid == 0 && !wanted.contains(Condition::empty) ? 8 : valid);
  }
  const bool has_empty = std::find(counts.begin(), counts.end(), 0) != counts.end();
  if (wanted == ConditionSet{Condition::empty} && !has_empty) counts.back() = 0;
  return counts;
}

/// All micro-batches of shards with valid rows have as many rows.
Split equal_rows_split(const Outline& outline, ConditionSet wanted, int micro_batches,
                       const std::vector<int>& valid) {
  const bool padded = wanted.contains(Condition::padded);
  const int most = *std::max_element(valid.begin(), valid.end());
  const int rows = padded ? most / micro_batches + 1 : outline.equal_rows;
  const std::vector<int> full(static_cast<std::size_t>(micro_batches), rows);
  Split split;
  for (std::size_t shard = 0; shard < valid.size(); ++shard) {
    if (padded) {
      const int first = static_cast<int>(shard) % micro_batches;
      split.shards.push_back(spread_valid(valid[shard], full, first));
    } else {
      const int kept = valid[shard] > 0 ? rows : 0;
      split.shards.emplace_back(static_cast<std::size_t>(micro_batches), RowCount{kept, kept});
    }
  }
  return split;
}

Split make_split(const Outline& outline, ConditionSet wanted, int world, int micro_batches,
                 int step) {
  const std::vector<int> valid = valid_counts(outline, wanted, world, step);
  if (!wanted.contains(Condition::unequal)) {
    return equal_rows_split(outline, wanted, micro_batches, valid);
  }
  const bool padded = wanted.contains(Condition::padded);
  // One shard alone gets padding by one row more.
  const int most = *std::max_element(valid.begin(), valid.end()) + (world == 1 ? 1 : 0);
  Split split;
  for (int shard = 0; shard < world; ++shard) {
    const int count = valid[static_cast<std::size_t>(shard)];
    const int first = shard % micro_batches;
    const std::vector<int> rows = halved(padded ? most : count, micro_batches, first);
    split.shards.push_back(spread_valid(count, rows, first));
  }
  return split;
}

/// Whether the outline's split is one that the claim takes.
bool is_taken(const Split& split, const Space& space) {
  const SizeRange& rows = space.shapes.rows;
  for (const std::vector<RowCount>& shard : split.shards) {
    if (!std::all_of(shard.begin(), shard.end(),
                     [&](const RowCount& count) { return rows.holds(count.rows); })) {
      return false;
    }
  }
  return all_shapes(space.shapes) || space.conditions.contains_all(conditions(split));
}

/// Another split with these conditions, inside the claim.
Split drawn_split(int number, int step, const SplitRequest& request) {
  constexpr std::uint64_t kSplits = 4;  // a use of random numbers beside those of other files
  Source source(rc::Random(rc::Random::Key{kSplits, static_cast<std::uint64_t>(number),
                                           static_cast<std::uint64_t>(step), 0}));
  return draw_split(source, request);
}

}  // namespace

Plan discriminating_plan(int number, Dtype dtype, const Space& space, int least_steps) {
  const Outline& outline = kOutlines[static_cast<std::size_t>(number)];
  const int world = space.world_near(outline.world, {});
  const ConditionSet wanted = space.widest(world);
  const Shapes& shapes = space.shapes;
  const int micro_batches = fit_size(
      shapes.micro_batches, std::max(outline.micro_batches, least_micro_batches(wanted, world)));
  const SplitRequest request{.conditions = wanted,
                             .world = world,
                             .micro_batches = micro_batches,
                             .max_rows = 8 + shapes.rows.low,
                             .rows = shapes.rows};
  Plan plan{.dtype = dtype,
            .model = {.features = outline.features,
                      .layers = {outline.layers.begin(), outline.layers.end()},
                      .parameters = {}},
            .learning_rate = outline.learning_rate,
            .padding = space.padding,
            .absent_layers = number == 1 && shapes.absent,
            .moved_residuals = true};
  fit_model(shapes, plan.model);
  for (int step = 0; step < fit_size(shapes.steps, std::max(2, least_steps)); ++step) {
    Split split = make_split(outline, wanted, world, micro_batches, step);
    if (!is_taken(split, space)) split = drawn_split(number, step, request);
    plan.steps.push_back(std::move(split));
  }
  // Reversed and turned: no rank stands where its number is.
  for (int i = 0; i < world; ++i) plan.arrival.push_back((2 * world - 2 - i) % world);
  return plan;
}

}  // namespace shardproof
