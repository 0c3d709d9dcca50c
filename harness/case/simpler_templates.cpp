#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "case/simpler_steps.h"
#include "case/simplicity.h"

namespace shardproof {
namespace {

/// Sizes of a template.
struct Sizes {
  int steps = 1;
  int ranks = 1;
  int micro_batches = 1;
  friend auto operator<=>(const Sizes&, const Sizes&) = default;
};

/// Where a row goes: the first or the last place of a case.
enum class Place { first, last };

/// Builds one template. A row is hot (its gradient is not zero) or cold (all zeros): a single hot
/// row shows the weight that a reduction gives to its rank and micro-batch.
class Template {
 public:
  Template(Dtype dtype, const Sizes& sizes, Model model) : sizes_(sizes) {
    case_.dtype = dtype;
    case_.learning_rate = kSimplestLearningRate;
    case_.mesh.axes.front().size = sizes.ranks;
    case_.model = std::move(model);
    Shard shard;
    shard.micro_batches.resize(static_cast<std::size_t>(sizes.micro_batches));
    Step step;
    step.shards.assign(static_cast<std::size_t>(sizes.ranks), shard);
    case_.steps.assign(static_cast<std::size_t>(sizes.steps), step);
  }

  /// One cold row in every micro-batch.
  Template& rows_everywhere() {
    for (Step& step : case_.steps) {
      for (Shard& shard : step.shards) {
        for (MicroBatch& batch : shard.micro_batches) add_row(batch);
      }
    }
    return *this;
  }

  /// A cold row in that place of every step.
  Template& row(Place place) {
    for (Step& step : case_.steps) add_row(batch_at(step, place));
    return *this;
  }

  /// Sets the latest row of that place, in the first or last step, to `x` and 1.
  Template& hot(Place place, double x = 1, Place step = Place::first) {
    MicroBatch& batch =
        batch_at(step == Place::first ? case_.steps.front() : case_.steps.back(), place);
    const auto set_last = [](std::vector<double>& values, int columns, double value) {
      std::fill(values.end() - columns, values.end(), value);
    };
    set_last(batch.x, case_.model.features, x);
    set_last(batch.y, case_.model.outputs(), 1);
    return *this;
  }

  /// Leaves the only layer unused in the last micro-batch of every step.
  Template& last_unused() {
    for (Step& step : case_.steps) batch_at(step, Place::last).absent = {1};
    return *this;
  }

  /// Writes into the first feature of the first row of every step.
  Template& first_feature(double x) {
    for (Step& step : case_.steps) batch_at(step, Place::first).x.front() = x;
    return *this;
  }

  /// Sets all but the first feature of every row to 0.
  Template& first_feature_only() {
    for (Step& step : case_.steps) {
      for (Shard& shard : step.shards) {
        for (MicroBatch& batch : shard.micro_batches) {
          const auto features = static_cast<std::size_t>(case_.model.features);
          for (std::size_t i = 0; i < batch.x.size(); ++i) {
            if (i % features != 0) batch.x[i] = 0;
          }
        }
      }
    }
    return *this;
  }

  /// Sets every row to `x` and 1, but y of the first shard to `y`.
  Template& all_hot(double x, double y) {
    for (Step& step : case_.steps) {
      for (Shard& shard : step.shards) {
        for (MicroBatch& batch : shard.micro_batches) {
          std::fill(batch.x.begin(), batch.x.end(), x);
          std::fill(batch.y.begin(), batch.y.end(), &shard == &step.shards.front() ? y : 1.0);
        }
      }
    }
    return *this;
  }

  /// Writes into x of the latest row in the last place.
  Template& garbage(double x) {
    for (Step& step : case_.steps) batch_at(step, Place::last).x.back() = x;
    return *this;
  }

  /// Masks the latest row out of every micro-batch but the first, of every step.
  Template& all_padded_but_first() {
    for (Step& step : case_.steps) {
      for (Shard& shard : step.shards) {
        for (MicroBatch& batch : shard.micro_batches) batch.mask.back() = 0;
      }
      batch_at(step, Place::first).mask.front() = 1;
    }
    return *this;
  }

  [[nodiscard]] Case done() const { return case_; }

 private:
  void add_row(MicroBatch& batch) const {
    batch.x.insert(batch.x.end(), static_cast<std::size_t>(case_.model.features), 0.0);
    batch.y.insert(batch.y.end(), static_cast<std::size_t>(case_.model.outputs()), 0.0);
    batch.mask.push_back(1);
  }

  static MicroBatch& batch_at(Step& step, Place place) {
    return place == Place::first ? step.shards.front().micro_batches.front()
                                 : step.shards.back().micro_batches.back();
  }

  Case case_;
  Sizes sizes_;
};

Model kernel_only() { return {.features = 1, .layers = {{1, false}}, .parameters = {0}}; }
Model two_features() { return {.features = 2, .layers = {{1, false}}, .parameters = {0, 0}}; }
Model kernel_and_bias() { return {.features = 1, .layers = {{1, true}}, .parameters = {0, 0}}; }

Model zeroed(Model model) {
  std::fill(model.parameters.begin(), model.parameters.end(), 0.0);
  return model;
}

/// A row alone in front or at the back; a row everywhere, the first one hot.
void add_hot_rows(Dtype dtype, const Sizes& sizes, const Model& model, double x,
                  std::vector<Case>& found) {
  const Template blank(dtype, sizes, model);
  for (Place step : {Place::first, Place::last}) {
    if (sizes.steps == 1 && step == Place::last) continue;
    found.push_back(Template(blank).row(Place::first).hot(Place::first, x, step).done());
    found.push_back(Template(blank).row(Place::last).hot(Place::last, x, step).done());
    found.push_back(Template(blank).rows_everywhere().hot(Place::first, x, step).done());
  }
}

/// A kernel of two elements, of which the first gets a gradient, in the last step: for what mixes
/// up elements.
void add_uneven_rows(Dtype dtype, const Sizes& sizes, std::vector<Case>& found) {
  const Template blank(dtype, sizes, two_features());
  for (Place place : {Place::first, Place::last}) {
    Template rows = Template(blank).row(place).hot(place, 1, Place::last);
    found.push_back(rows.first_feature_only().done());
  }
}

/// A layer that is unused by the only rank, or by the other one, and elements of very unlike size.
void add_uncommon_rows(Dtype dtype, std::vector<Case>& found) {
  constexpr double kLarge = 16;
  found.push_back(Template(dtype, {}, kernel_only()).row(Place::first).last_unused().done());
  const Template two_ranks(dtype, {.ranks = 2}, kernel_only());
  found.push_back(Template(two_ranks).row(Place::first).hot(Place::first).last_unused().done());
  Template one_rank(dtype, {}, two_features());
  found.push_back(one_rank.row(Place::first).hot(Place::first).first_feature(kLarge).done());
}

/// One valid row, all others padding: hot valid row, then hot padding.
void add_padded_rows(Dtype dtype, const Sizes& sizes, std::vector<Case>& found) {
  const Template blank(dtype, sizes, kernel_only());
  Template rows = Template(blank).rows_everywhere();
  // In one micro-batch the padding has to stand behind the valid row.
  if (sizes.ranks * sizes.micro_batches == 1) rows.row(Place::last);
  rows.all_padded_but_first();
  found.push_back(Template(rows).hot(Place::last).done());
  found.push_back(Template(rows).garbage(std::numeric_limits<double>::infinity()).done());
  found.push_back(Template(rows).garbage(std::numeric_limits<double>::quiet_NaN()).done());
  if (sizes.ranks * sizes.micro_batches > 1) {
    found.push_back(Template(rows).hot(Place::first).done());
    return;
  }
  Template valid_hot = Template(blank).row(Place::first).hot(Place::first).row(Place::last);
  found.push_back(valid_hot.all_padded_but_first().done());
}

/// Two rows in front, a row everywhere else, one of the two hot.
void add_unequal_rows(Dtype dtype, const Sizes& sizes, std::vector<Case>& found) {
  Template rows = Template(dtype, sizes, kernel_only()).rows_everywhere();
  found.push_back(rows.hot(Place::first).row(Place::first).done());
}

/// Three ranks whose sum depends on the order: 2^p + 1 + 1 is not 1 + 1 + 2^p in p bits. With
/// x = 0 that is the sum of their losses, the squares of y.
void add_order_sensitive_rows(Dtype dtype, std::vector<Case>& found) {
  const int bits = format(dtype).precision;
  const Template rows = Template(dtype, {.ranks = 3}, kernel_only()).rows_everywhere();
  found.push_back(Template(rows).all_hot(0, std::ldexp(1.0, (bits + 1) / 2)).done());
  found.push_back(Template(rows).all_hot(1, std::ldexp(1.0, bits)).done());
}

void add_all(Dtype dtype, const Sizes& sizes, std::vector<Case>& found) {
  add_hot_rows(dtype, sizes, kernel_only(), 1, found);
  if (sizes.steps == 1 && sizes.ranks <= 2 && sizes.micro_batches == 1) {
    // x = 0: kernel and bias have different gradients.
    add_hot_rows(dtype, sizes, kernel_and_bias(), 0, found);
    add_uneven_rows(dtype, sizes, found);
    add_padded_rows(dtype, sizes, found);
    add_unequal_rows(dtype, sizes, found);
  }
}

/// The rows and masks of `problem` with one parameter and zeros, its first valid row hot: for what
/// depends on how many rows stand where, which no template can guess. Rows that are alike also
/// leave fewer cases to try.
Case bare(const Case& problem) {
  Case rows = problem;
  rows.given = nullptr;
  rows.arrival.clear();
  rows.learning_rate = kSimplestLearningRate;
  rows.model = kernel_only();
  double hot = 1;
  for (Step& step : rows.steps) {
    for (Shard& shard : step.shards) {
      for (MicroBatch& batch : shard.micro_batches) {
        batch.absent.clear();
        batch.x.assign(batch.mask.size(), 0.0);
        const auto valid = std::find(batch.mask.begin(), batch.mask.end(), std::uint8_t{1});
        if (valid != batch.mask.end()) {
          batch.x[static_cast<std::size_t>(valid - batch.mask.begin())] = std::exchange(hot, 0.0);
        }
        batch.y = batch.x;
      }
    }
  }
  return rows;
}

}  // namespace

std::vector<Case> templates(const Case& problem) {
  const int ranks = problem.world_size().value;
  std::vector<Sizes> all{{1, 1, 1}, {1, 1, 2}, {1, 2, 1},     {1, 2, 2},
                         {1, 3, 1}, {2, 1, 1}, {1, ranks, 1}, {1, (ranks + 1) / 2, 1}};
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  std::vector<Case> found;
  for (const Sizes& sizes : all) add_all(problem.dtype, sizes, found);
  add_order_sensitive_rows(problem.dtype, found);
  add_uncommon_rows(problem.dtype, found);
  add_uneven_rows(problem.dtype, {.steps = 2}, found);
  found.push_back(bare(problem));
  // The problem's own layers, where a mistake depends on their number or length.
  const Model own = zeroed(problem.model);
  for (const Sizes& sizes : {Sizes{1, 1, 1}, Sizes{1, std::min(ranks, 2), 1}}) {
    add_hot_rows(problem.dtype, sizes, own, 1, found);
  }
  std::stable_sort(found.begin(), found.end(), is_simpler);
  return found;
}

}  // namespace shardproof
