#include "judge/leaf_sums.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "exact/linear_bound.h"
#include "exact/wide_code.h"

namespace shardproof {
namespace {

constexpr std::uint64_t kLargestWeight = std::uint64_t{1} << 25;
constexpr std::size_t kMostTerms = 4096;
/// One part in so many: more than all roundings of this file together, and of the exact judge's
/// own bound.
constexpr double kPart = 0x1p-38;
/// More than the products of an allowance can lose or gain by underflow.
constexpr double kUnderflow = 64 * 0x1p-1074;

/// The upper 26 bits of a significand: times a weight they fit one binary64 value, and so does the
/// rest.
double upper_half(double x) {
  constexpr std::uint64_t kMask = ~((std::uint64_t{1} << 27) - 1);
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & kMask);
}

/// high + low + p without error but for the addition to `low` (Knuth's TwoSum).
void add(double& high, double& low, double p) {
  const double sum = high + p;
  const double kept = sum - high;
  low += (high - (sum - kept)) + (p - kept);
  high = sum;
}

SHARDPROOF_WIDE_CODE void add_terms(LeafSums& sums, double weight, std::span<const double> values,
                                    std::span<std::int32_t> rank_terms) {
  double* const high = sums.high.data();
  double* const low = sums.low.data();
  double* const magnitude = sums.magnitude.data();
  const std::size_t size = values.size();
  for (std::size_t e = 0; e < size; ++e) {
    const double x = values[e];
    const double upper = upper_half(x);
    double h = high[e];
    double l = low[e];
    add(h, l, weight * upper);
    add(h, l, weight * (x - upper));
    high[e] = h;
    low[e] = l;
    magnitude[e] += weight * std::abs(x);
  }
  for (std::size_t e = 0; e < size; ++e) rank_terms[e] += values[e] != 0 ? 1 : 0;
}

bool small_enough(const Weights& weights, const LeafValues& values) {
  std::size_t terms = 0;
  std::uint64_t largest = weights.divisor;
  for (std::size_t r = 0; r < values.size(); ++r) {
    terms += values[r].size();
    for (std::uint64_t weight : weights.weight[r]) largest = std::max(largest, weight);
  }
  return terms <= kMostTerms && largest <= kLargestWeight;
}

AllowanceForm form_of(const LinearBound& bound, bool one_sign) {
  // M = (W + |E|) / 2; where signs are lost (running means), M = |E| = W.
  const double half = bound.larger.value() / 2;
  AllowanceForm form{.of_magnitude = bound.magnitude.value() + half,
                     .of_total = bound.total.value() + half,
                     .constant = bound.constant.value()};
  if (one_sign) {
    form.of_magnitude += form.of_total;
    form.of_total = 0;
  }
  const bool finite = std::isfinite(form.of_magnitude) && std::isfinite(form.of_total) &&
                      std::isfinite(form.constant);
  return finite ? form : AllowanceForm{};
}

/// What a format asks of its values, in the bits of binary64.
struct OutputBits {
  std::uint64_t unused = 0;  ///< bits of the significand that have to be zeros
  double per_quantum = 1;    ///< 1 / smallest subnormal; 0 for binary64
  double smallest_normal = 0;
  double largest = 0;
  double half_unit = 0;       ///< half a gap above a power of two, as a share of it
  double least_half_gap = 0;  ///< not above half the smallest subnormal
};

OutputBits output_bits(Dtype output) {
  const Format& f = format(output);
  OutputBits bits;
  bits.unused = (std::uint64_t{1} << (53 - f.precision)) - 1;
  bits.per_quantum = output == Dtype::f64 ? 0 : 1 / f.smallest_subnormal;
  bits.smallest_normal = f.smallest_normal;
  bits.largest = f.largest;
  bits.half_unit = f.unit_roundoff;
  bits.least_half_gap = f.smallest_subnormal / 2;
  return bits;
}

/// Whether a finite value is one of the format: 1 or 0.
inline bool is_value(const OutputBits& o, double v) {
  constexpr double kToInteger = 0x1.8p52;
  const double quanta = v * o.per_quantum;
  const bool whole = (quanta + kToInteger) - kToInteger == quanta;
  const bool subnormal = std::abs(v) < o.smallest_normal;
  const bool short_enough = (std::bit_cast<std::uint64_t>(v) & o.unused) == 0;
  return short_enough & (!subnormal | whole) & (std::abs(v) <= o.largest);
}

/// At most half the gap on either side of a value of the format.
inline double half_gap(const OutputBits& o, double v) {
  constexpr std::uint64_t kExponent = 0x7ff0000000000000U;
  constexpr std::uint64_t kSignificand = 0x000fffffffffffffU;
  const auto bits = std::bit_cast<std::uint64_t>(v);
  const double power = std::bit_cast<double>(bits & kExponent) * o.half_unit;
  // Below a power of two the gap is half as wide.
  const double half = (bits & kSignificand) == 0 ? power / 2 : power;
  return std::max(half, o.least_half_gap);
}

constexpr double kDoubtful = 2;

/// The share of one element.
inline double share_of(double high, double low, double magnitude, double divisor,
                       const Allowance& allowed, const OutputBits& output, double v) {
  const double upper = upper_half(v);
  double distance = high;
  double rest = low;
  add(distance, rest, -(divisor * upper));
  add(distance, rest, -(divisor * (v - upper)));
  const double reach = magnitude + divisor * std::abs(v);
  const double far = std::abs(distance + rest) * (1 + 0x1p-50) + reach * 0x1p-78;
  const double total = std::max(0.0, std::abs(high) - magnitude * kPart);
  const double gap = half_gap(output, v);
  const auto form = [&](const AllowanceForm& f) {
    return f.of_magnitude * magnitude + f.of_total * total + divisor * (f.constant + gap);
  };
  const double allowance =
      std::min(form(allowed.by_count), form(allowed.by_grid)) * (1 - kPart) - kUnderflow;
  const bool inside = (far <= allowance) & (reach < 0x1p1000) & is_value(output, v);
  const bool nothing = (magnitude == 0) & (v == 0);
  const double quotient = far / allowance;  // without a branch, for the sake of vector code
  const double share = inside ? quotient : kDoubtful;
  return nothing ? 0 : share;
}

}  // namespace

LeafSums leaf_sums(Weights weights, const LeafValues& values) {
  LeafSums sums;
  sums.weights = std::move(weights);
  sums.covered = small_enough(sums.weights, values);
  if (!sums.covered) return sums;
  const std::size_t size = values.front().front().size();
  sums.high.resize(size);
  sums.low.resize(size);
  sums.magnitude.resize(size);
  sums.terms.resize(size);
  sums.touched.resize(size);
  std::vector<std::int32_t> rank_terms(size);
  for (std::size_t r = 0; r < values.size(); ++r) {
    std::ranges::fill(rank_terms, 0);
    for (std::size_t m = 0; m < values[r].size(); ++m) {
      const auto weight = static_cast<double>(sums.weights.weight[r][m]);
      if (weight > 0) add_terms(sums, weight, values[r][m], rank_terms);
    }
    const auto micro_batches = static_cast<std::int32_t>(values[r].size());
    for (std::size_t e = 0; e < size; ++e) {
      sums.terms[e] += rank_terms[e];
      sums.touched[e] += rank_terms[e] > 0 ? micro_batches : 0;
    }
  }
  return sums;
}

Allowance allowance_of(const Arithmetic& arithmetic, bool one_sign, int terms) {
  const LinearBounds bounds = linear_bounds(arithmetic, terms);
  Allowance allowed{form_of(bounds.by_count, one_sign), form_of(bounds.by_grid, one_sign)};
  // No grid is proved: the other form holds alone.
  if (allowed.by_grid.constant < 0) allowed.by_grid = allowed.by_count;
  return allowed;
}

SHARDPROOF_WIDE_CODE void filter_leaf(const LeafSums& sums, std::span<const Allowance> allowed,
                                      std::span<const std::int32_t> terms, Dtype output,
                                      std::span<const double> returned, std::span<double> share) {
  const std::size_t size = returned.size();
  const OutputBits bits = output_bits(output);
  const auto divisor = static_cast<double>(sums.weights.divisor);
  const double* const high = sums.high.data();
  const double* const low = sums.low.data();
  const double* const magnitude = sums.magnitude.data();
  const double* const values = returned.data();
  double* const out = share.data();
  if (std::ranges::all_of(terms, [&](std::int32_t n) { return n == terms.front(); })) {
    const Allowance same = allowed[static_cast<std::size_t>(terms.front())];
    for (std::size_t e = 0; e < size; ++e) {
      out[e] = share_of(high[e], low[e], magnitude[e], divisor, same, bits, values[e]);
    }
  } else {
    for (std::size_t e = 0; e < size; ++e) {
      const Allowance& own = allowed[static_cast<std::size_t>(terms[e])];
      out[e] = share_of(high[e], low[e], magnitude[e], divisor, own, bits, values[e]);
    }
  }
}

}  // namespace shardproof
