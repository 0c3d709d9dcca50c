#pragma once

#include "shardproof/case/claim.h"

namespace shardproof {

/// Checks that each given contribution may have been computed from its rows: zeros where no row is
/// valid, else within the proved bound of a local gradient (NUMERICS 1.7). Under others a right
/// reducer would be refuted, end to end, for what it was handed. Where a local gradient may
/// overflow nothing is demanded: there a reducer is judged by its inputs alone.
///
/// \pre    `problem` is valid
/// \throws InputError  naming the place, such as `given[0][1][0].gradient[2]`
void check_given(const Case& problem, InputForm form, Dtype gradient);

}  // namespace shardproof
