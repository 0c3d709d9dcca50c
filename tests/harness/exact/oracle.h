#pragma once

#include <bit>
// g++ 12 takes the small buffer of cpp_int for a pointer that is not set.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <cstdint>
#include <random>

#include "shardproof/exact/dyadic.h"

namespace shardproof::oracle {

using Integer = boost::multiprecision::cpp_int;
using Rational = boost::multiprecision::cpp_rational;

inline Rational power_of_two(int exponent) {
  const Integer power = Integer(1) << std::abs(exponent);
  return exponent < 0 ? Rational(1, power) : Rational(power);
}

inline Rational rational(const Dyadic& value) {
  Integer magnitude = 0;
  for (std::size_t i = value.limbs().size(); i-- > 0;)
    magnitude = (magnitude << 64) + value.limbs()[i];
  const Rational size = Rational(magnitude) * power_of_two(value.exponent());
  return value.negative() ? Rational(-size) : size;
}

/// Families of finite binary64 values on which exact arithmetic may go wrong in different ways.
enum class Values { small_integers, normal, single_precision, wide, subnormal };

inline constexpr Values kAllValues[] = {Values::small_integers, Values::normal,
                                        Values::single_precision, Values::wide, Values::subnormal};

class Draws {
 public:
  explicit Draws(std::uint64_t seed) : random_(seed) {}

  int below(int limit) { return static_cast<int>(random_() % static_cast<std::uint64_t>(limit)); }
  std::uint64_t bits() { return random_() >> (random_() % 64); }

  double value(Values values) {
    switch (values) {
      case Values::small_integers:
        return below(17) - 8;
      case Values::normal:
        return normal_(random_);
      case Values::single_precision:
        return static_cast<double>(static_cast<float>(normal_(random_)));
      case Values::wide:
        while (true) {
          const double any = std::bit_cast<double>(random_());
          if (std::isfinite(any)) return any;
        }
      case Values::subnormal:
        return static_cast<double>(below(2001) - 1000) * 0x1p-1074;
    }
    return 0;
  }

 private:
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
};

}  // namespace shardproof::oracle
