#pragma once

#include "shardproof/case/shapes.h"
#include "shardproof/generators/splits.h"

namespace shardproof {

/// The range that a draw takes its sizes from: usually those of `usual`, as many further up where
/// the claim begins later.
SizeRange drawn_range(const SizeRange& claimed, const SizeRange& usual);

/// The sizes of a fixed outline where they are claimed, else others that are: unlike ones stay
/// unlike as far as that is possible.
void fit_model(const Shapes& shapes, Model& model);

/// Fewer or more rows, where the number of rows is not claimed.
RowCount fit_rows(const SizeRange& rows, RowCount count);

int fit_size(const SizeRange& claimed, int size);

}  // namespace shardproof
