#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "shardproof/case/dtype.h"

namespace shardproof {

/// `round_to` of one format, without branches, so that loops over a leaf become vector code.
struct RoundToF64 {
  double operator()(double x) const { return x; }
};
struct RoundToF32 {
  double operator()(double x) const { return static_cast<double>(static_cast<float>(x)); }
};

/// Any narrower format: ties to even by the bits; subnormal results by adding and taking away a
/// number whose last place is the smallest subnormal.
class RoundToNarrow {
 public:
  explicit RoundToNarrow(const Format& f)
      : dropped_(53 - f.precision),
        mask_((std::uint64_t{1} << dropped_) - 1),
        shift_(0x1.8p52 * f.smallest_subnormal),
        smallest_normal_(f.smallest_normal),
        largest_(f.largest) {}

  double operator()(double x) const {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const std::uint64_t last = (bits >> dropped_) & 1U;
    const double normal = std::bit_cast<double>((bits + (mask_ >> 1U) + last) & ~mask_);
    const double subnormal = (x + shift_) - shift_;
    const double infinite = std::copysign(std::numeric_limits<double>::infinity(), x);
    const double large = std::abs(normal) > largest_ ? infinite : normal;
    return std::abs(x) < smallest_normal_ ? subnormal : large;
  }

 private:
  int dropped_;
  std::uint64_t mask_;
  double shift_;
  double smallest_normal_;
  double largest_;
};

/// Calls `use` with the rounding of a format.
template <class Use>
void with_rounding(Dtype dtype, Use use) {
  if (dtype == Dtype::f64) {
    use(RoundToF64{});
  } else if (dtype == Dtype::f32) {
    use(RoundToF32{});
  } else {
    use(RoundToNarrow(format(dtype)));
  }
}

}  // namespace shardproof
