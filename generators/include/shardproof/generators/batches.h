#pragma once

#include <functional>

#include "shardproof/case/case.h"
#include "shardproof/generators/splits.h"
#include "shardproof/generators/values.h"

namespace shardproof {

/// What the rows of a step are filled with.
struct Filling {
  Palette palette;
  PaddingContent padding = PaddingContent::finite;
  bool absent_layers = false;  ///< some micro-batches leave layers unused
};

/// Rows of one micro-batch; padded rows stand anywhere among the valid ones.
MicroBatch draw_micro_batch(Source& source, RowCount count, const Model& model,
                            const Filling& filling);

/// A step of this split. For cancelling families, targets that make gradients nearly cancel.
Step draw_step(Source& source, const Split& split, const Model& model, const Filling& filling);

/// An order in which ranks enter their first call: every permutation equally likely.
std::vector<int> draw_arrival(Source& source, int world);

/// Whether `a` is strictly simpler than `b`, of the same split: row by row simpler values.
bool is_simpler(const Step& a, const Step& b);

/// Hands steps of the same split with a simpler value to `visit`, until it returns false.
void for_each_simpler(const Step& step, const std::function<bool(Step)>& visit);

/// Whether an arrival order is simpler: none is the simplest, then fewer pairs out of order.
bool is_simpler_arrival(const std::vector<int>& a, const std::vector<int>& b);
void for_each_simpler_arrival(const std::vector<int>& arrival,
                              const std::function<bool(std::vector<int>)>& visit);

}  // namespace shardproof
