#include "shardproof/generators/leaves.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>

namespace shardproof {
namespace {

constexpr std::uint64_t kLeaves = 3;  // key of random numbers, unlike those of cases
/// Counts of a step stay below this, so that 1/N is a normal value of every format.
constexpr std::int64_t kMostRows = 16384;

/// Fast bits for the values of a leaf (xorshift64*, Vigna 2016), seeded from the source.
class Bits {
 public:
  explicit Bits(std::uint64_t seed) : state_(seed | 1U) {}
  std::uint64_t next() {
    state_ ^= state_ >> 12U;
    state_ ^= state_ << 25U;
    state_ ^= state_ >> 27U;
    return state_ * 0x2545F4914F6CDD1DU;
  }

 private:
  std::uint64_t state_;
};

/// +-1.xxx times 2^exponent, from 64 bits: 52 for the significand, the lowest for the sign.
double full_significand(std::uint64_t bits, int exponent) {
  const std::uint64_t significand = bits >> 12U;
  const auto biased = static_cast<std::uint64_t>(1023 + exponent);
  return std::bit_cast<double>(((bits & 1U) << 63U) | (biased << 52U) | significand);
}

/// Half of them in [1, 2), a quarter in [1/2, 1), and so on: 11 bits beside those above.
double about_one(std::uint64_t bits) {
  return full_significand(bits, -std::countr_zero((bits >> 1U) | 0x400U));
}

/// How far exponents lie apart so that products with counts stay in range.
/// Not further than f32 allows: terms may be accumulated in it.
int widest(Dtype dtype) {
  const Format& f = format(dtype == Dtype::f64 ? Dtype::f32 : dtype);
  return std::min(-f.min_exponent, std::ilogb(f.largest)) * 2 / 3;
}

/// Values of one family, one after the other.
class Family {
 public:
  Family(LeafFamily family, Dtype dtype, std::uint64_t seed)
      : family_(family), dtype_(dtype), format_(format(dtype)), bits_(seed) {}

  /// \param before  the leaf of the term before; empty at the first
  void fill(std::span<double> leaf, std::span<const double> before, double ratio) {
    if (family_ == LeafFamily::cancelling && !before.empty()) {
      for (std::size_t e = 0; e < leaf.size(); ++e) {
        const std::uint64_t bits = bits_.next();
        const double fresh = about_one(bits);
        leaf[e] = (bits & 0x800U) != 0 ? fresh : -before[e] * ratio;
      }
    } else if (family_ == LeafFamily::stagnation) {
      for (double& value : leaf) value = stagnating(bits_.next(), before.empty());
    } else {
      for (double& value : leaf) value = drawn(bits_.next());
    }
    for (double& value : leaf) value = round_to(dtype_, value);
  }

 private:
  double drawn(std::uint64_t bits) const {
    switch (family_) {
      case LeafFamily::positive:
        return std::abs(about_one(bits)) + 1;
      case LeafFamily::wide:
        return full_significand(
            bits,
            static_cast<int>((bits >> 1U) % 512) * (2 * widest(dtype_) + 1) / 512 - widest(dtype_));
      case LeafFamily::one_plus_u:
        return near_one(bits);
      case LeafFamily::subnormal:
        return about_one(bits) * format_.smallest_normal *
               std::ldexp(1.0, -static_cast<int>((bits >> 1U) % 32) * format_.precision / 32);
      case LeafFamily::near_overflow:
        return full_significand(bits,
                                std::ilogb(format_.largest) - static_cast<int>((bits >> 1U) % 24));
      case LeafFamily::integers:
        return static_cast<double>(bits % 17) - 8;
      case LeafFamily::normal:
      case LeafFamily::cancelling:
      case LeafFamily::stagnation:
        break;
    }
    return about_one(bits);
  }

  [[nodiscard]] double near_one(std::uint64_t bits) const {
    const double u = format_.unit_roundoff;
    const std::array<double, 8> values{1, 1 + 2 * u, 1 - u, u, -u, 2 * u, u * (1 + 2 * u), -1};
    return values[bits % values.size()];
  }

  [[nodiscard]] double stagnating(std::uint64_t bits, bool first) const {
    if (first) return std::abs(about_one(bits)) + 1;
    return format_.unit_roundoff * (std::abs(about_one(bits)) + ((bits & 0x800U) != 0 ? 0.5 : 1));
  }

  LeafFamily family_;
  Dtype dtype_;
  const Format& format_;
  Bits bits_;
};

/// Near overflow most results are undecided, and each of them takes exact arithmetic.
LeafFamily draw_family(Source& source) {
  const LeafFamily family = source.pick(std::span<const LeafFamily>(kAllLeafFamilies));
  const bool again = family == LeafFamily::near_overflow && source.chance(3, 4);
  return again ? LeafFamily::normal : family;
}

struct Sizes {
  int ranks = 1;
  int micro_batches = 1;
};

/// Mostly few ranks: a term costs the same wherever it stands, and few terms show most.
Sizes draw_sizes(Source& source) {
  if (source.chance(1, 32)) return {source.between(17, kMaxWorldSize), 1};
  const int ranks = source.chance(1, 8) ? source.between(7, 16) : source.between(1, 6);
  return {ranks, source.chance(3, 5) ? 1 : source.between(2, 5)};
}

std::int64_t draw_count(Source& source) {
  if (source.chance(1, 32)) return source.between(200, 1000);
  return source.between(1, source.chance(1, 2) ? 4 : 32);
}

void draw_counts(Source& source, DrawnLeaf& leaf) {
  const Sizes sizes = draw_sizes(source);
  leaf.equal = source.chance(1, 2);
  const std::int64_t most = kMostRows / (sizes.ranks * sizes.micro_batches);
  const std::int64_t same = std::min(most, draw_count(source));
  leaf.counts.resize(static_cast<std::size_t>(sizes.ranks));
  for (auto& rank : leaf.counts) {
    std::int64_t rows = 0;
    for (int m = 0; m < sizes.micro_batches; ++m) {
      std::int64_t count = std::min(most, draw_count(source));
      if (source.chance(1, 8)) count = 0;
      rank.push_back(leaf.equal ? same : count);
      rows += rank.back();
    }
    if (rows == 0 && &rank == &leaf.counts.front()) rank.front() = rows = 1;
    leaf.every_rank &= rows > 0;
  }
}

/// Nothing where it would be the same.
std::optional<Dtype> draw_other(Source& source, Dtype dtype) {
  const Dtype other = source.pick(all_dtypes());
  return other == dtype ? std::nullopt : std::optional(other);
}

}  // namespace

std::string_view name(LeafFamily family) {
  constexpr std::array<std::string_view, kAllLeafFamilies.size()> kNames{
      "normal",    "positive",      "wide",       "cancelling", "1 + u",
      "subnormal", "near overflow", "stagnation", "integers"};
  return kNames[static_cast<std::size_t>(family)];
}

Source leaf_source(std::uint64_t seed, std::uint64_t index) {
  return Source(rc::Random(rc::Random::Key{kLeaves, seed, index, 0}));
}

DrawnLeaf draw_leaf(Source& source, std::size_t elements) {
  DrawnLeaf leaf;
  leaf.dtype = source.pick(all_dtypes());
  leaf.family = draw_family(source);
  draw_counts(source, leaf);
  Family family(leaf.family, leaf.dtype, source.bits());
  std::span<const double> before;
  std::int64_t count_before = 1;
  for (const auto& rank : leaf.counts) {
    auto& values = leaf.values.emplace_back();
    values.reserve(rank.size());  // `before` points into it
    for (const std::int64_t count : rank) {
      std::vector<double>& term = values.emplace_back(elements);
      if (count == 0) continue;
      family.fill(term, before, static_cast<double>(count_before) / static_cast<double>(count));
      before = term;
      count_before = count;
    }
  }
  return leaf;
}

LeafReduction draw_leaf_reduction(Source& source, const DrawnLeaf& leaf) {
  while (true) {
    LeafReduction reduction;
    reduction.scaling = source.pick(all_leaf_scalings());
    reduction.joining = source.pick(all_leaf_joinings());
    reduction.order = source.pick(all_leaf_orders());
    reduction.seed = static_cast<std::uint64_t>(source.below(1024));
    if (source.chance(1, 2)) reduction.accumulate = source.pick(all_dtypes());
    if (source.chance(1, 6)) reduction.wire = draw_other(source, leaf.dtype);
    if (source.chance(1, 8)) reduction.output = draw_other(source, leaf.dtype);
    reduction.declared = source.chance(1, 2);
    if (needs_equal_counts(reduction.scaling) && !leaf.equal) continue;
    if (reduction.scaling == LeafScaling::mean_over_ranks && !leaf.every_rank) continue;
    if (not_right(reduction).empty()) return reduction;
  }
}

}  // namespace shardproof
