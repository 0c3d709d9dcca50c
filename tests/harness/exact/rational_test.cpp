#include "shardproof/exact/rational.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "harness/exact/oracle.h"

namespace shardproof {
namespace {

using oracle::Integer;
using oracle::Rational;

/// The number that a decimal such as `-1.25e-7` denotes, read digit by digit.
Rational read_decimal(const std::string& text) {
  Integer digits = 0;
  int exponent = 0;
  bool after_point = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == 'e') {
      exponent += std::stoi(text.substr(i + 1));
      break;
    }
    if (text[i] == '.') after_point = true;
    if (text[i] < '0' || text[i] > '9') continue;
    digits = digits * 10 + (text[i] - '0');
    if (after_point) --exponent;
  }
  Integer power = 1;
  for (int i = 0; i < std::abs(exponent); ++i) power *= 10;
  const Rational magnitude = exponent < 0 ? Rational(digits, power) : Rational(digits * power);
  return text[0] == '-' ? Rational(-magnitude) : magnitude;
}

std::string significant(const std::string& text) {
  std::string digits;
  for (const char c : text.substr(0, text.find('e'))) {
    if (c >= '0' && c <= '9' && (c != '0' || !digits.empty())) digits += c;
  }
  return digits.erase(digits.find_last_not_of('0') + 1);
}

std::vector<double> telling_values() {
  std::vector<double> values{0x1p-1074, 0x1p-1022, 1.0,    9.9999999999,
                             0.1,       1e22,      1e-300, std::numeric_limits<double>::max()};
  oracle::Draws draws(41);
  for (const oracle::Values family : oracle::kAllValues) {
    for (int i = 0; i < 40; ++i) values.push_back(draws.value(family));
  }
  const std::size_t count = values.size();
  for (std::size_t i = 0; i < count; ++i) values.push_back(-values[i]);
  return values;
}

TEST(Fraction, IsInLowestTerms) {
  EXPECT_EQ(fraction(Dyadic(-24304.0), 8192), "-1519/512");
  EXPECT_EQ(fraction(Dyadic(-1519.0 / 512), 1), "-1519/512");
  EXPECT_EQ(fraction(Dyadic(9.0), 3), "3");
  EXPECT_EQ(fraction(Dyadic(-0.75), 9), "-1/12");
  EXPECT_EQ(fraction(Dyadic(), 5), "0");
}

TEST(Decimal, IsMarkedUnlessItIsExact) {
  EXPECT_EQ(decimal(Dyadic(-1557.0), 512, 17), "-3.041015625");
  EXPECT_EQ(decimal(Dyadic(-1557.0), 512, 5), "~-3.041");
  EXPECT_EQ(decimal(Dyadic(1.0), 3, 4), "~0.3333");
  EXPECT_EQ(decimal(Dyadic(2.0), 3, 4), "~0.6667");
  EXPECT_EQ(decimal(Dyadic(99999.0), 1, 3), "~100000");
  EXPECT_EQ(decimal(Dyadic(), 3, 4), "0");
}

TEST(Decimal, IsNearest) {
  for (const double value : telling_values()) {
    for (const int digits : {1, 5, 17}) {
      const std::string text = decimal(Dyadic(value), 7, digits);
      EXPECT_LE(significant(text).size(), static_cast<std::size_t>(digits));
      const Rational exact = Rational(value) / 7;
      const Rational error =
          abs(Rational(read_decimal(text.substr(text[0] == '~' ? 1 : 0)) - exact));
      // Half a unit of the last digit is at most 5 * 10^-digits of the value.
      Integer power = 1;
      for (int i = 0; i < digits; ++i) power *= 10;
      EXPECT_LE(error, abs(exact) * 5 / power) << value;
      EXPECT_EQ(error == 0, text[0] != '~') << value;
    }
  }
}

TEST(Readable, IsTheFractionWhereItIsShort) {
  EXPECT_EQ(readable(Dyadic(-1519.0), 512), "-1519/512");
  EXPECT_EQ(readable(Dyadic(0x1p-60), 1), "1/1152921504606846976");
  EXPECT_EQ(readable(Dyadic(0x1.8p-200), 1), "~9.3345229167917126e-61");
  EXPECT_EQ(readable(Dyadic(0x1p300), 1), "~2.0370359763344861e+90");
}

TEST(DecimalUp, IsTheLeastDecimalThatIsNotBelow) {
  for (const double value : telling_values()) {
    for (const int digits : {1, 3, 8, 17}) {
      const std::string text = decimal_up(value, digits);
      EXPECT_LE(significant(text).size(), static_cast<std::size_t>(digits));
      EXPECT_GE(read_decimal(text), Rational(value)) << text;
      EXPECT_LE(read_decimal(decimal_down(value, digits)), Rational(value)) << text;
    }
  }
}

TEST(DecimalUp, IsWithinOneUnitOfTheLastDigit) {
  for (const double value : telling_values()) {
    for (const int digits : {1, 3, 8, 17}) {
      Integer power = 1;
      for (int i = 1; i < digits; ++i) power *= 10;
      const Rational gap =
          read_decimal(decimal_up(value, digits)) - read_decimal(decimal_down(value, digits));
      EXPECT_LE(gap, abs(Rational(value)) / power) << value;
    }
  }
}

TEST(DecimalUp, ReadsAsPeopleWriteIt) {
  EXPECT_EQ(decimal_up(2.0000007152557373, 8), "2.0000008");
  EXPECT_EQ(decimal_down(2.0000007152557373, 8), "2.0000007");
  EXPECT_EQ(decimal_up(-2.0000007152557373, 8), "-2.0000007");
  EXPECT_EQ(decimal_up(-3.041015625, 17), "-3.041015625");
  EXPECT_EQ(decimal_up(1.15e-30, 2), "1.2e-30");
  EXPECT_EQ(decimal_up(0.00012, 2), "0.00013");  // the binary64 number lies above 0.00012
  EXPECT_EQ(decimal_down(123456789.0, 3), "123000000");
  EXPECT_EQ(decimal_up(9.99, 2), "10");
  EXPECT_EQ(decimal_up(0x1p-1074, 3), "4.95e-324");
  EXPECT_EQ(decimal_up(-0.0, 3), "0");
  EXPECT_EQ(decimal_down(-std::numeric_limits<double>::infinity(), 3), "-inf");
  EXPECT_EQ(decimal_up(std::numeric_limits<double>::quiet_NaN(), 3), "nan");
}

}  // namespace
}  // namespace shardproof
