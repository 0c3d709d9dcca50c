#include <algorithm>
#include <cmath>

#include "exact/magnitude.h"
#include "exact/rounding.h"
#include "shardproof/exact/bound.h"

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

/// GRID (NUMERICS 1.2): no partial sum exceeds the larger one-signed sum.
Magnitude grid_bound(const RoundingConstants& c, std::int64_t n, Magnitude m1, Magnitude total1) {
  const double inner_nodes = static_cast<double>(n) - 2;
  const double loss = inner_nodes * c.u.value();  // exact: u is a power of two
  if (loss > 0.5) return Magnitude{std::numeric_limits<double>::infinity()};
  const double below = (1 - loss) - std::numeric_limits<double>::epsilon();
  const Magnitude node = loss == 0 ? m1 : m1 / below;
  const Magnitude inner = Magnitude{inner_nodes} * node;
  return c.u * (inner + total1 + c.u * inner);
}

/// The error of the additions alone, over terms that are already rounded.
Magnitude summation_bound(const Arithmetic& a, const RoundingConstants& c, std::int64_t n,
                          Magnitude w1, Magnitude m1, Magnitude total1) {
  if (n <= 1) return Magnitude{};
  // Several formats in one sum, and roundings that are only faithful, need the power form.
  if (!a.tree) return std::max(compound(c.u, n - 1), Magnitude{3.0} * c.u) * w1;
  const Magnitude by_count =
      a.faithful ? compound(c.u, n - 1) : Magnitude{static_cast<double>(n - 1)} * c.u;
  return std::min(by_count * w1, grid_bound(c, n, m1, total1));
}

}  // namespace

double reduction_bound(const Arithmetic& a, const TermSums& sums) {
  if (sums.terms == 0 && !a.flush) return 0;
  const RoundingConstants c = rounding_constants(a.accumulate, a.faithful);
  const Magnitude kappa = term_growth(a, c);
  const Magnitude w = Magnitude{sums.positive} + Magnitude{sums.negative};
  const Magnitude m{std::max(sums.positive, sums.negative)};
  const Magnitude h = underflow_of_terms(a, c, sums.terms, kappa);
  const Magnitude w1 = w + kappa * w + h;
  const Magnitude m1 = m + kappa * m + h;
  const Magnitude total1 = Magnitude{sums.total} + kappa * w + h;
  return (kappa * w + h + summation_bound(a, c, sums.terms, w1, m1, total1)).value();
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
