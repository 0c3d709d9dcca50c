#pragma once

#include "shardproof/subject/reducer.h"
#include "shardproof/subject/train_step.h"

namespace shardproof {

/// How the flat tree of n elements is cut for P ranks.
enum class Cut {
  even,     ///< ceil(n/P) each, as `even_piece`
  shifted,  ///< the same pieces, but each rank returns that of the next one as its own
  floored,  ///< floor(n/P) each: the last n mod P elements are in no piece
};

/// A reduce-scatter around a ring: every rank returns its piece of the mean over all valid rows,
/// with loss, count and norm of the whole gradient. A step without any valid row is declined.
/// Right where the cut is even.
ReducerFactory scatter_reducers(Cut cut = Cut::even);
Claim scatter_claim();

/// One SGD step as in ZeRO stage 1: reduce-scatter of the gradient, update of the own piece of the
/// parameters, all-gather of the parameters. Parameters become round(w - round(lr g)).
/// \param gathered  false: the other pieces of the parameters stay as they were, which is wrong
TrainStepFactory zero_steps(bool gathered = true);
Claim zero_claim();

}  // namespace shardproof
