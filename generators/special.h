#pragma once

#include "shardproof/case/case.h"

namespace shardproof {

/// A rare thing that a case is made to have, for certain.
enum class Special {
  none,
  subnormal,       ///< one subnormal target
  near_overflow,   ///< one target near overflow; no gradient of it overflows
  bad_padding,     ///< NaN or infinity in a padded row; \pre the case has one
  absent_layer,    ///< a micro-batch that leaves a layer unused; \pre the case has two layers
  reversed_ranks,  ///< the ranks arrive in the reverse order
};

/// The least magnitude that counts as near overflow: 2^-8 of the largest power of two.
double least_near_overflow(Dtype dtype);

/// Gives the case what is asked for; its condition and sizes stay.
void make_special(Special special, Case& problem);

}  // namespace shardproof
