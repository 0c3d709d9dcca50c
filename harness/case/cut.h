#pragma once

#include <vector>

#include "shardproof/case/case.h"

namespace shardproof {

/// The part of a case that remains when steps, ranks, rows, ... are left out. Positions are those
/// in `problem`, in ascending order; none of the lists may leave nothing, but the list of rows.
/// Contributions that were given are dropped: they belong to the whole.

using Positions = std::vector<int>;

/// 0, 1, ..., count - 1.
Positions all_positions(int count);
Positions positions_but(int count, int left_out);
/// From `first` on, before `last`.
Positions positions_between(int first, int last);
/// All but those from `first` on, before `last`.
Positions positions_outside(int count, int first, int last);

Case with_steps(const Case& problem, const Positions& steps);
/// Shrinks the mesh's axis and `arrival` too.
Case with_ranks(const Case& problem, const Positions& ranks);
Case with_micro_batches(const Case& problem, int step, const Positions& micro_batches);

/// The thing at `first` and the one behind it made one: the micro-batches of two steps one behind
/// the other, the rows of two ranks (micro-batch by micro-batch) or of two
/// micro-batches. Where layers are absent is taken from the first that has a row.
Case with_steps_merged(const Case& problem, int first);
Case with_ranks_merged(const Case& problem, int first);
Case with_micro_batches_merged(const Case& problem, int step, int first);

Case with_features(const Case& problem, const Positions& features);

/// What is left of one layer.
struct LayerCut {
  int layer = 0;
  Positions outputs;
  bool bias = true;
};
/// Every layer, uncut.
std::vector<LayerCut> uncut_layers(const Model& model);
Case with_layers(const Case& problem, const std::vector<LayerCut>& layers);

/// Rows of one micro-batch.
MicroBatch with_rows(const MicroBatch& batch, const Positions& rows, int features, int outputs);

}  // namespace shardproof
