#include "subject/faults/fractions.h"

namespace shardproof {
namespace {

using Wide = unsigned __int128;

constexpr std::uint64_t kLargest = std::uint64_t{1} << 53;

std::optional<Fraction> lowest(Wide numerator, Wide denominator) {
  Wide a = numerator;
  Wide b = denominator;
  while (b != 0) {
    const Wide rest = a % b;
    a = b;
    b = rest;
  }
  numerator /= a;
  denominator /= a;
  if (numerator > kLargest || denominator > kLargest) return std::nullopt;
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

}  // namespace shardproof
