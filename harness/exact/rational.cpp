#include "shardproof/exact/rational.h"

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>

namespace shardproof {
namespace {

using boost::multiprecision::cpp_int;

/// (-1)^negative * numerator / denominator, neither of them negative.
struct Quotient {
  bool negative = false;
  cpp_int numerator;
  cpp_int denominator = 1;
};

Quotient quotient(const Dyadic& value, std::uint64_t divisor) {
  Quotient result{.negative = value.negative(), .numerator = 0, .denominator = divisor};
  const auto limbs = value.limbs();
  for (auto limb = limbs.rbegin(); limb != limbs.rend(); ++limb) {
    result.numerator = (result.numerator << 64) | *limb;
  }
  const int exponent = value.exponent();
  if (exponent > 0) result.numerator <<= exponent;
  if (exponent < 0) result.denominator <<= -exponent;
  return result;
}

enum class Rounding { nearest, towards_zero, away_from_zero };

/// 0.d1d2d3... * 10^point with d1 not zero, or no digit at all for zero.
struct Digits {
  std::string digits;  // without trailing zeros
  int point = 0;
  bool exact = true;
};

cpp_int power_of_ten(int exponent) {
  return boost::multiprecision::pow(cpp_int(10), static_cast<unsigned>(exponent));
}

/// An estimate of log10(numerator / denominator) that is off by less than one.
double decimal_exponent(const Quotient& value) {
  const auto bits = [](const cpp_int& number) { return static_cast<int>(msb(number)); };
  return (bits(value.numerator) - bits(value.denominator)) * std::log10(2.0);
}

/// Rounds the magnitude of `value` to `count` significant digits.
Digits significant_digits(const Quotient& value, int count, Rounding rounding) {
  if (value.numerator == 0) return {};
  // Scaled so that the whole part has one to three digits more than `count`; they are cut off
  // below.
  const int scale = count + 1 - static_cast<int>(std::floor(decimal_exponent(value)));
  const cpp_int numerator =
      scale > 0 ? cpp_int(value.numerator * power_of_ten(scale)) : value.numerator;
  const cpp_int denominator =
      scale < 0 ? cpp_int(value.denominator * power_of_ten(-scale)) : value.denominator;
  const cpp_int whole = numerator / denominator;
  const int length = static_cast<int>(whole.str().size());
  const cpp_int unit = denominator * power_of_ten(length - count);
  cpp_int rest;
  cpp_int kept;
  divide_qr(numerator, unit, kept, rest);
  const int half = cpp_int(2 * rest).compare(unit);
  const bool tie_up = half == 0 && bit_test(kept, 0);
  if (rounding == Rounding::away_from_zero
          ? rest != 0
          : rounding == Rounding::nearest && (half > 0 || tie_up)) {
    ++kept;
  }
  Digits result{.digits = kept.str(), .point = 0, .exact = rest == 0};
  result.point = length - scale + static_cast<int>(result.digits.size()) - count;
  result.digits.erase(result.digits.find_last_not_of('0') + 1);
  return result;
}

/// Plain where that needs few zeros, else with an exponent: `-3.041015625`, `1.2e-30`.
std::string spelled(bool negative, const Digits& value) {
  constexpr int kMostLeadingZeros = 4;
  constexpr int kLongestWhole = 17;
  std::string digits = value.digits;
  if (digits.empty()) return "0";
  const auto size = static_cast<int>(digits.size());
  const std::string sign = negative ? "-" : "";
  if (value.point <= 0 && value.point >= -kMostLeadingZeros) {
    return sign + "0." + std::string(static_cast<std::size_t>(-value.point), '0') + digits;
  }
  if (value.point > 0 && value.point <= kLongestWhole) {
    if (size <= value.point) {
      return sign + digits + std::string(static_cast<std::size_t>(value.point - size), '0');
    }
    return sign + digits.insert(static_cast<std::size_t>(value.point), ".");
  }
  if (size > 1) digits.insert(1, ".");
  return sign + digits + (value.point > 1 ? "e+" : "e") + std::to_string(value.point - 1);
}

std::string directed(double value, int digits, bool up) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  const Quotient exact = quotient(Dyadic(value), 1);
  const Rounding rounding =
      up == exact.negative ? Rounding::towards_zero : Rounding::away_from_zero;
  return spelled(exact.negative, significant_digits(exact, digits, rounding));
}

}  // namespace

std::string fraction(const Dyadic& numerator, std::uint64_t divisor) {
  const Quotient value = quotient(numerator, divisor);
  const cpp_int common = gcd(value.numerator, value.denominator);
  const cpp_int reduced = value.denominator / common;
  std::string text = (value.negative ? "-" : "") + cpp_int(value.numerator / common).str();
  if (reduced != 1) text += "/" + reduced.str();
  return text;
}

std::string decimal(const Dyadic& numerator, std::uint64_t divisor, int digits) {
  const Quotient value = quotient(numerator, divisor);
  const Digits rounded = significant_digits(value, digits, Rounding::nearest);
  return (rounded.exact ? "" : "~") + spelled(value.negative, rounded);
}

std::string readable(const Dyadic& numerator, std::uint64_t divisor) {
  constexpr std::size_t kLongestFraction = 24;
  constexpr int kDigits = 17;
  // 24 digits hold fewer than 80 bits: no need to write out the long ones.
  const int bits = numerator.exponent() + 64 * static_cast<int>(numerator.limbs().size());
  if (bits <= 192 && numerator.exponent() >= -192) {
    std::string text = fraction(numerator, divisor);
    if (text.size() <= kLongestFraction) return text;
  }
  return decimal(numerator, divisor, kDigits);
}

std::string decimal_up(double value, int digits) { return directed(value, digits, true); }

std::string decimal_down(double value, int digits) { return directed(value, digits, false); }

}  // namespace shardproof
