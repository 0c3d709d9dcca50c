#pragma once

#include <optional>
#include <span>

#include "exact/exact_gradient_paths.h"

namespace shardproof::exact {

/// Common exponents of the arrays, and how many bits the integers over them can have at most.
///
/// x = X 2^x_exponent, W = V 2^w_exponent, and b, y and every residual are multiples of
/// 2^z_exponent = 2^(x_exponent + w_exponent). A count of n bits says |integer| < 2^n.
struct Plan {
  int x_exponent = 0;
  int w_exponent = 0;
  int z_exponent = 0;
  int operand_bits = 0;   ///< of X and V
  int residual_bits = 0;  ///< of a residual times its weight
  int gradient_bits = 0;  ///< of any sum of weighted products X r, or of weighted r
  int loss_bits = 0;      ///< of the sum of weighted r^2
  bool products = false;  ///< whether any product x W can differ from zero
};

/// \return nothing when every residual is zero
std::optional<Plan> plan(const Model& model, const Places& places,
                         std::span<const WeightedRows> groups);

}  // namespace shardproof::exact
