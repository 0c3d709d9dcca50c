#pragma once

#include <cstdint>
#include <string>

#include "shardproof/exact/dyadic.h"

namespace shardproof {

/// numerator / divisor in lowest terms: `-1519/512`, `3`; for reports and `explain`.
std::string fraction(const Dyadic& numerator, std::uint64_t divisor);

/// numerator / divisor as a decimal of `digits` significant digits, rounded to nearest, marked by a
/// leading `~` unless it is exact.
std::string decimal(const Dyadic& numerator, std::uint64_t divisor, int digits);

/// The fraction where it is short (at most 24 characters), else the decimal with 17 digits.
std::string readable(const Dyadic& numerator, std::uint64_t divisor);

/// `value` with `digits` significant digits, never below (or never above) it.
std::string decimal_up(double value, int digits);
std::string decimal_down(double value, int digits);

}  // namespace shardproof
