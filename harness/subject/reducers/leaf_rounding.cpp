#include "subject/reducers/leaf_rounding.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "exact/wide_code.h"

// A function and all that it calls, for every format, become one piece of code.
#define SHARDPROOF_LEAF_LOOP SHARDPROOF_WIDE_CODE [[gnu::flatten]]

namespace shardproof {
namespace {

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
    const double large = either(std::abs(normal) > largest_, infinite, normal);
    return either(std::abs(x) < smallest_normal_, subnormal, large);
  }

 private:
  /// `condition ? yes : no`, which would become a branch.
  static double either(bool condition, double yes, double no) {
    const std::uint64_t mask = std::uint64_t{0} - static_cast<std::uint64_t>(condition);
    return std::bit_cast<double>((std::bit_cast<std::uint64_t>(yes) & mask) |
                                 (std::bit_cast<std::uint64_t>(no) & ~mask));
  }

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

}  // namespace

SHARDPROOF_LEAF_LOOP void convert(Dtype dtype, std::span<double> leaf) {
  with_rounding(dtype, [leaf](auto round) {
    for (double& x : leaf) x = round(x);
  });
}

SHARDPROOF_LEAF_LOOP void multiply(Dtype dtype, std::span<double> leaf, double factor) {
  with_rounding(dtype, [leaf, factor](auto round) {
    for (double& x : leaf) x = round(x * factor);
  });
}

SHARDPROOF_LEAF_LOOP void divide(Dtype dtype, std::span<double> leaf, double divisor) {
  with_rounding(dtype, [leaf, divisor](auto round) {
    for (double& x : leaf) x = round(x / divisor);
  });
}

SHARDPROOF_LEAF_LOOP void add(Dtype dtype, std::span<double> sums, std::span<const double> terms) {
  double* const sum = sums.data();
  const double* const term = terms.data();
  with_rounding(dtype, [sum, term, size = sums.size()](auto round) {
    for (std::size_t e = 0; e < size; ++e) sum[e] = round(sum[e] + term[e]);
  });
}

SHARDPROOF_LEAF_LOOP void add_compensated(Dtype dtype, std::span<double> sums,
                                          std::span<double> lost, std::span<const double> terms) {
  double* const sum = sums.data();
  double* const loss = lost.data();
  const double* const term = terms.data();
  with_rounding(dtype, [sum, loss, term, size = sums.size()](auto round) {
    for (std::size_t e = 0; e < size; ++e) {
      const double corrected = round(term[e] - loss[e]);
      const double next = round(sum[e] + corrected);
      loss[e] = round(round(next - sum[e]) - corrected);
      sum[e] = next;
    }
  });
}

SHARDPROOF_LEAF_LOOP void move_mean(Dtype dtype, std::span<double> mean,
                                    std::span<const double> next, double share) {
  double* const mean_at = mean.data();
  const double* const next_at = next.data();
  with_rounding(dtype, [mean_at, next_at, share, size = mean.size()](auto round) {
    for (std::size_t e = 0; e < size; ++e) {
      const double moved = round(round(next_at[e] - mean_at[e]) * share);
      mean_at[e] = round(mean_at[e] + moved);
    }
  });
}

}  // namespace shardproof
