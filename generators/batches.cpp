#include "shardproof/generators/batches.h"

#include <cmath>
#include <numeric>

#include "shardproof/generators/models.h"

namespace shardproof {
namespace {

std::vector<std::uint8_t> draw_mask(Source& source, RowCount count) {
  std::vector<std::uint8_t> mask(static_cast<std::size_t>(count.rows), 0);
  std::fill_n(mask.begin(), count.valid, std::uint8_t{1});
  // Padding stands at the end as often as anywhere.
  if (source.chance(1, 2)) source.shuffle(std::span<std::uint8_t>(mask));
  return mask;
}

/// The valid rows of a step in order, and where they stand.
struct ValidRow {
  MicroBatch* rows;
  std::size_t row;
};

std::vector<ValidRow> valid_rows(Step& step) {
  std::vector<ValidRow> found;
  for (Shard& shard : step.shards) {
    for (MicroBatch& rows : shard.micro_batches) {
      for (std::size_t row = 0; row < rows.mask.size(); ++row) {
        if (rows.mask[row] != 0) found.push_back({&rows, row});
      }
    }
  }
  return found;
}

/// Targets a few units in the last place away from the predictions: residuals cancel.
void chase_predictions(Source& source, Dtype dtype, const Model& model, Step& step) {
  const int outputs = model.outputs();
  for (const ValidRow& at : valid_rows(step)) {
    const double* x = at.rows->x.data() + at.row * static_cast<std::size_t>(model.features);
    double* y = at.rows->y.data() + at.row * static_cast<std::size_t>(outputs);
    for (int k = 0; k < outputs; ++k) {
      const double off = source.between(-8, 8) * 2 * format(dtype).unit_roundoff;
      y[k] = round_to(dtype, prediction(model, x, k) * (1 + off));
    }
  }
}

/// Every second valid row repeats the inputs of the row before with targets mirrored at the
/// prediction, up to a few units in the last place: gradients cancel across rows and ranks.
void mirror_rows(Source& source, Dtype dtype, const Model& model, Step& step) {
  const std::vector<ValidRow> rows = valid_rows(step);
  const auto features = static_cast<std::size_t>(model.features);
  const int outputs = model.outputs();
  for (std::size_t i = 0; i + 1 < rows.size(); i += 2) {
    const double* x = rows[i].rows->x.data() + rows[i].row * features;
    const double* y = rows[i].rows->y.data() + rows[i].row * static_cast<std::size_t>(outputs);
    std::copy_n(x, features, rows[i + 1].rows->x.data() + rows[i + 1].row * features);
    double* mirrored =
        rows[i + 1].rows->y.data() + rows[i + 1].row * static_cast<std::size_t>(outputs);
    for (int k = 0; k < outputs; ++k) {
      const double off = source.between(-2, 2) * 2 * format(dtype).unit_roundoff;
      mirrored[k] = round_to(dtype, (2 * prediction(model, x, k) - y[k]) * (1 + off));
    }
  }
}

}  // namespace

MicroBatch draw_micro_batch(Source& source, RowCount count, const Model& model,
                            const Filling& filling) {
  MicroBatch batch;
  const auto rows = static_cast<std::size_t>(count.rows);
  const auto features = static_cast<std::size_t>(model.features);
  const auto outputs = static_cast<std::size_t>(model.outputs());
  batch.mask = draw_mask(source, count);
  batch.x.reserve(rows * features);
  batch.y.reserve(rows * outputs);
  const Palette& palette = filling.palette;
  for (const std::uint8_t kept : batch.mask) {
    for (std::size_t d = 0; d < features; ++d) {
      batch.x.push_back(kept != 0 ? palette.input(source)
                                  : draw_padding(source, filling.padding, palette.dtype));
    }
    for (std::size_t k = 0; k < outputs; ++k) {
      batch.y.push_back(kept != 0 ? palette.target(source)
                                  : draw_padding(source, filling.padding, palette.dtype));
    }
  }
  if (filling.absent_layers) batch.absent = draw_absent(source, model);
  return batch;
}

Step draw_step(Source& source, const Split& split, const Model& model, const Filling& filling) {
  Step step;
  step.shards.reserve(split.shards.size());
  for (const std::vector<RowCount>& counts : split.shards) {
    Shard& shard = step.shards.emplace_back();
    shard.micro_batches.reserve(counts.size());
    for (const RowCount& count : counts) {
      shard.micro_batches.push_back(draw_micro_batch(source, count, model, filling));
    }
  }
  if (filling.palette.family == ValueFamily::cancelling) {
    const Dtype dtype = filling.palette.dtype;
    if (source.chance(1, 2)) {
      chase_predictions(source, dtype, model, step);
    } else {
      mirror_rows(source, dtype, model, step);
    }
  }
  return step;
}

std::vector<int> draw_arrival(Source& source, int world) {
  std::vector<int> order(static_cast<std::size_t>(world));
  std::iota(order.begin(), order.end(), 0);
  source.shuffle(std::span<int>(order));
  return order;
}

}  // namespace shardproof
