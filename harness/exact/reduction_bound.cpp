#include <algorithm>
#include <cmath>

#include "exact/linear_bound.h"
#include "exact/magnitude.h"
#include "exact/rounding.h"
#include "shardproof/exact/bound.h"
#include "shardproof/exact/bound_parts.h"

namespace shardproof {
namespace {

constexpr int kWireConversions = 2;  // of a term to the wire, and of the sum on its way back

/// kappa: by how much the multiplicative roundings of a term may enlarge it, all formats together.
Magnitude term_growth(const Arithmetic& a, const RoundingConstants& c) {
  const auto both = [](Magnitude one, Magnitude other) { return one + other + one * other; };
  Magnitude kappa = compound(c.u, a.roundings);
  if (a.wire) {
    kappa = both(kappa, compound(rounding_constants(*a.wire, a.faithful).u, kWireConversions));
  }
  if (a.count) {
    // Once in a numerator; a denominator that is off by (1 + v)^-k costs at most (1 + u)^k.
    const Magnitude of_counts =
        compound(rounding_constants(*a.count, a.faithful).u, a.count_roundings);
    kappa = both(kappa, both(of_counts, of_counts));
  }
  return kappa;
}

/// H: what gradual underflow, or flushing, may add.
Magnitude underflow_of_terms(const Arithmetic& a, const RoundingConstants& c, std::int64_t n,
                             Magnitude kappa) {
  const Magnitude grown = Magnitude{a.amplification} * (kOne + kappa);
  const double products = static_cast<double>(n) * a.roundings;
  const Magnitude conversions{a.wire ? static_cast<double>(n) + 1 : 0};
  if (!a.flush) {
    const Magnitude lost = Magnitude{products} * c.underflow * grown;
    if (!a.wire) return lost;
    return lost + conversions * rounding_constants(*a.wire, a.faithful).underflow * grown;
  }
  const Magnitude events{products + 2.0 * static_cast<double>(n) + 1};
  const Magnitude flushed = events * Magnitude{format(a.accumulate).smallest_normal} * grown;
  if (!a.wire) return flushed;
  return flushed + conversions * Magnitude{format(*a.wire).smallest_normal} * grown;
}

/// What the additions of `n` terms may add, as a factor of the sum of their magnitudes.
Magnitude additions_by_count(const Arithmetic& a, const RoundingConstants& c, std::int64_t n) {
  if (n <= 1) return Magnitude{};
  // Several formats in one sum, and roundings that are only faithful, need the power form.
  if (!a.tree) return std::max(compound(c.u, n - 1), Magnitude{3.0} * c.u);
  return a.faithful ? compound(c.u, n - 1) : Magnitude{static_cast<double>(n - 1)} * c.u;
}

/// GRID (NUMERICS 1.2): no partial sum exceeds the larger one-signed sum M1. What is returned times
/// M1 bounds (n - 2) X; infinity where no X is proved.
Magnitude inner_nodes(const RoundingConstants& c, std::int64_t n) {
  const double nodes = static_cast<double>(n) - 2;
  const double loss = nodes * c.u.value();  // exact: u is a power of two
  if (loss > 0.5) return Magnitude{std::numeric_limits<double>::infinity()};
  const double below = (1 - loss) - std::numeric_limits<double>::epsilon();
  return loss == 0 ? Magnitude{nodes} : Magnitude{nodes} / below;
}

}  // namespace

LinearBounds linear_bounds(const Arithmetic& a, std::int64_t n) {
  if (n == 0 && !a.flush) return {};  // nothing is rounded
  const RoundingConstants c = rounding_constants(a.accumulate, a.faithful);
  const Magnitude kappa = term_growth(a, c);
  const Magnitude h = underflow_of_terms(a, c, n, kappa);
  const Magnitude count = additions_by_count(a, c, n);
  LinearBounds bounds;
  bounds.by_count = {.magnitude = kappa + count * (kOne + kappa),
                     .larger = {},
                     .total = {},
                     .constant = h + count * h};
  bounds.by_grid = bounds.by_count;
  if (!a.tree || n <= 1) return bounds;
  const Magnitude inner = inner_nodes(c, n);
  const Magnitude nodes = c.u * (inner + c.u * inner);
  bounds.by_grid = {.magnitude = kappa + c.u * kappa,
                    .larger = nodes * (kOne + kappa),
                    .total = c.u,
                    .constant = h + c.u * h + nodes * h};
  return bounds;
}

double reduction_bound(const Arithmetic& a, const TermSums& sums) {
  const LinearBounds bounds = linear_bounds(a, sums.terms);
  const Magnitude w = Magnitude{sums.positive} + Magnitude{sums.negative};
  const Magnitude m{std::max(sums.positive, sums.negative)};
  const Magnitude e{sums.total};
  return std::min(bounds.by_count.at(w, m, e), bounds.by_grid.at(w, m, e)).value();
}

BoundParts bound_parts(const Arithmetic& a, const TermSums& sums) {
  BoundParts parts;
  parts.total = reduction_bound(a, sums);
  if (parts.total == 0) return parts;
  const RoundingConstants c = rounding_constants(a.accumulate, a.faithful);
  const Magnitude kappa = term_growth(a, c);
  const LinearBounds bounds = linear_bounds(a, sums.terms);
  const Magnitude w = Magnitude{sums.positive} + Magnitude{sums.negative};
  const Magnitude m{std::max(sums.positive, sums.negative)};
  const Magnitude e{sums.total};
  const Magnitude h = underflow_of_terms(a, c, sums.terms, kappa);
  parts.kappa = kappa.value();
  parts.underflow = h.value();
  parts.by_grid = bounds.by_grid.at(w, m, e) < bounds.by_count.at(w, m, e);
  const LinearBound least = parts.by_grid ? bounds.by_grid : bounds.by_count;
  // The same bound without what stands in the other two parts, rounded up as well.
  const double rest = least.at(w, m, e).value() - (kappa * w).value() - h.value();
  parts.additions = std::max(0.0, std::nextafter(rest, parts.total) + 0x1p-47 * parts.total);
  return parts;
}

double last_rounding(const Arithmetic& a, Dtype output, double value, bool upwards) {
  const Format& f = format(output);
  const double nearest = round_to(output, value);
  const double up = next_up(output, nearest);
  const double down = next_down(output, nearest);
  double gap = upwards ? up - nearest : nearest - down;
  if (!std::isfinite(gap)) gap = upwards ? nearest - down : up - nearest;  // of the last binade
  const double moved = a.faithful || gap / 2 == 0 ? gap : gap / 2;
  const bool flushed = a.flush && std::abs(value) < f.smallest_normal;
  return flushed ? std::max(moved, f.smallest_normal) : moved;
}

RunningMean running_mean_bound(const Arithmetic& a, std::span<const MeanTerm> terms) {
  const RoundingConstants c = rounding_constants(a.accumulate, a.faithful);
  const Magnitude kappa = compound(c.u, 3);
  const Magnitude lost =
      Magnitude{a.amplification} * (a.flush ? Magnitude{4 * format(a.accumulate).smallest_normal}
                                            : Magnitude{2.0} * c.underflow);
  Magnitude error;
  Magnitude mean;
  std::int64_t before = 0;
  for (const MeanTerm& term : terms) {
    const auto after = static_cast<double>(before + term.count);
    const Magnitude weight = Magnitude{static_cast<double>(term.count)} / after;
    const Magnitude kept = Magnitude{static_cast<double>(before)} / after;
    const Magnitude g{term.magnitude};
    // (g - acc) n / after multiplies the mean by `weight`, acc before / after + g n / after by
    // `kept`.
    const Magnitude rounded = weight * g + std::max(weight, kept) * (mean + error);
    const Magnitude product = kappa * rounded + lost * (kOne + kappa);
    const Magnitude carried = kept * error + product;
    mean = kept * mean + weight * g;
    error = carried + c.u * (mean + carried);
    before += term.count;
  }
  return {error.value(), mean.value()};
}

}  // namespace shardproof
