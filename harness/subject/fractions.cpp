#include "subject/fractions.h"

#include <numeric>

namespace shardproof {
namespace {

using Wide = unsigned __int128;

std::optional<Fraction> lowest(Wide numerator, Wide denominator) {
  if (denominator == 0) return std::nullopt;
  Wide a = numerator;
  Wide b = denominator;
  while (b != 0) {
    const Wide rest = a % b;
    a = b;
    b = rest;
  }
  numerator /= a;
  denominator /= a;
  if (numerator > kLargestWeight || denominator > kLargestWeight) return std::nullopt;
  return Fraction{static_cast<std::uint64_t>(numerator), static_cast<std::uint64_t>(denominator)};
}

}  // namespace

std::optional<Fraction> times(Fraction a, Fraction b) {
  return lowest(Wide{a.numerator} * b.numerator, Wide{a.denominator} * b.denominator);
}

std::optional<Fraction> plus(Fraction a, Fraction b) {
  return lowest(Wide{a.numerator} * b.denominator + Wide{b.numerator} * a.denominator,
                Wide{a.denominator} * b.denominator);
}

std::uint64_t common_multiple(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t factor = b / std::gcd(a, b);
  return a > kLargestWeight / factor ? 0 : a * factor;
}

}  // namespace shardproof
