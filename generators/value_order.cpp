#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <tuple>

#include "shardproof/generators/values.h"

namespace shardproof {
namespace {

constexpr double kLargestSmallInteger = 0x1p20;

enum class Kind { zero, small_integer, finite, infinite, nan };

Kind kind_of(double value) {
  if (std::isnan(value)) return Kind::nan;
  if (std::isinf(value)) return Kind::infinite;
  if (value == 0) return Kind::zero;
  const double magnitude = std::fabs(value);
  return magnitude <= kLargestSmallInteger && magnitude == std::trunc(magnitude)
             ? Kind::small_integer
             : Kind::finite;
}

/// A finite value other than zero as odd * 2^exponent.
struct Odd {
  std::int64_t odd;
  int exponent;
  int bits;
};

Odd odd_part(double value) {
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(value), &exponent);
  const auto significand = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
  const int zeros = std::countr_zero(significand);
  return {.odd = static_cast<std::int64_t>(significand >> zeros),
          .exponent = exponent - 53 + zeros,
          .bits = 53 - zeros};
}

/// Compared lexicographically; of the values of one dtype there are finitely many, so no descent is
/// infinite.
std::tuple<Kind, std::int64_t, int, std::int64_t, bool> key(double value) {
  const Kind kind = kind_of(value);
  const bool negative = std::signbit(value) && kind != Kind::nan;
  if (kind == Kind::small_integer) {
    return {kind, static_cast<std::int64_t>(std::fabs(value)), 0, 0, negative};
  }
  if (kind != Kind::finite) return {kind, 0, 0, 0, negative};
  const Odd parts = odd_part(value);
  return {kind, parts.bits, std::abs(parts.exponent), parts.odd, negative};
}

/// The value with only its leading `bits` significant bits.
double truncated(const Odd& parts, int bits) {
  const int dropped = parts.bits - bits;
  return std::ldexp(static_cast<double>((parts.odd >> dropped) << dropped), parts.exponent);
}

}  // namespace

bool is_simpler(double a, double b) { return key(a) < key(b); }

void for_each_simpler(double value, const std::function<bool(double)>& visit) {
  const auto offer = [&](double candidate) {
    return !is_simpler(candidate, value) || visit(candidate);
  };
  if (!offer(0) || !offer(1) || !offer(-1)) return;
  const Kind kind = kind_of(value);
  if (kind == Kind::nan && !offer(std::numeric_limits<double>::infinity())) return;
  if (kind == Kind::nan || kind == Kind::zero) return;
  if (!offer(std::fabs(value)) || kind == Kind::infinite) return;

  const double magnitude = std::fabs(value);
  if (kind == Kind::small_integer) {
    if (offer(std::copysign(std::trunc(magnitude / 2), value))) {
      offer(std::copysign(magnitude - 1, value));
    }
    return;
  }
  if (magnitude <= kLargestSmallInteger && !offer(std::trunc(value))) return;
  const Odd parts = odd_part(value);
  if (!offer(std::copysign(truncated(parts, 1), value))) return;
  if (!offer(std::copysign(truncated(parts, (parts.bits + 1) / 2), value))) return;
  if (!offer(std::copysign(truncated(parts, std::max(1, parts.bits - 1)), value))) return;
  const int step = parts.exponent > 0 ? -1 : 1;
  for (const int exponent : {0, parts.exponent / 2, parts.exponent + step}) {
    const double moved = std::ldexp(static_cast<double>(parts.odd), exponent);
    if (!offer(std::copysign(moved, value))) return;
  }
}

}  // namespace shardproof
