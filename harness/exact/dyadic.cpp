#include "shardproof/exact/dyadic.h"

#include <algorithm>
#include <limits>

#include "exact/limbs.h"

namespace shardproof {
namespace limbs {
namespace {

constexpr std::uint64_t kHidden = std::uint64_t{1} << 52;

std::span<const std::uint64_t> without_leading_zeros(std::span<const std::uint64_t> magnitude) {
  while (!magnitude.empty() && magnitude.back() == 0)
    magnitude = magnitude.first(magnitude.size() - 1);
  return magnitude;
}

/// 64 bits of the magnitude from bit `position` on; zeros beyond its end.
std::uint64_t window(std::span<const std::uint64_t> magnitude, int position) {
  const auto limb = static_cast<std::size_t>(position / 64);
  const int shift = position % 64;
  const auto at = [&](std::size_t i) { return i < magnitude.size() ? magnitude[i] : 0; };
  return shift == 0 ? at(limb) : (at(limb) >> shift) | (at(limb + 1) << (64 - shift));
}

bool any_bit_below(std::span<const std::uint64_t> magnitude, int position) {
  const auto whole = static_cast<std::size_t>(position / 64);
  for (std::size_t i = 0; i < whole; ++i) {
    if (magnitude[i] != 0) return true;
  }
  const int rest = position % 64;
  return rest != 0 && (magnitude[whole] & ((std::uint64_t{1} << rest) - 1)) != 0;
}

double from_bits(std::uint64_t bits) { return std::bit_cast<double>(bits); }

}  // namespace

double rounded(std::span<const std::uint64_t> magnitude, int exponent, Direction direction) {
  const std::span<const std::uint64_t> used = without_leading_zeros(magnitude);
  if (used.empty()) return 0;
  const bool up = direction == Direction::up;
  const int length = bit_length(used);
  // The result counts in units of 2^unit, which is the spacing of binary64 numbers of this size.
  const int unit = std::max(exponent + length - 53, -1074);
  const int dropped = unit - exponent;
  std::uint64_t significand = 0;
  if (dropped <= 0) {
    significand = used.front() << -dropped;  // exact: at most 53 bits stand in one limb
  } else if (dropped > length) {
    return up ? std::numeric_limits<double>::denorm_min() : 0;
  } else {
    significand = dropped == length ? 0 : window(used, dropped);
    if (up && any_bit_below(used, dropped)) ++significand;
  }
  // A significand of 2^53 carries into the exponent field, as it should.
  const int field = unit + 1074;
  if (field > 2045 || (field == 2045 && significand >= 2 * kHidden)) {
    return up ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::max();
  }
  return from_bits((static_cast<std::uint64_t>(field) << 52) + significand);
}

}  // namespace limbs

Dyadic::Dyadic(double value) {
  const limbs::Parts parts = limbs::split(value);
  if (parts.mantissa == 0) return;
  negative_ = parts.negative;
  exponent_ = parts.exponent;
  size_ = 1;
  inline_[0] = parts.mantissa;
}

Dyadic::Dyadic(bool negative, std::span<const std::uint64_t> limbs, int exponent) {
  std::size_t first = 0;
  std::size_t last = limbs.size();
  while (last > 0 && limbs[last - 1] == 0) --last;
  if (last == 0) return;
  while (limbs[first] == 0) ++first;
  const std::span<const std::uint64_t> used = limbs.subspan(first, last - first);
  negative_ = negative;
  exponent_ = exponent + 64 * static_cast<int>(first);
  size_ = static_cast<int>(used.size());
  if (size_ <= kInline) {
    std::copy(used.begin(), used.end(), inline_.begin());
  } else {
    heap_.assign(used.begin(), used.end());
  }
}

double Dyadic::magnitude_up() const {
  return limbs::rounded(limbs(), exponent_, limbs::Direction::up);
}

double Dyadic::magnitude_down() const {
  return limbs::rounded(limbs(), exponent_, limbs::Direction::down);
}

bool operator==(const Dyadic& a, const Dyadic& b) {
  if (a.zero() || b.zero()) return a.zero() == b.zero();
  if (a.negative_ != b.negative_) return false;
  const auto left = a.limbs();
  const auto right = b.limbs();
  const int length = limbs::bit_length(left);
  if (length + a.exponent_ != limbs::bit_length(right) + b.exponent_) return false;
  // The lowest limb of each is not zero, so their lowest set bits are found in it.
  const int low_left = std::countr_zero(left.front());
  const int low_right = std::countr_zero(right.front());
  if (low_left + a.exponent_ != low_right + b.exponent_) return false;
  for (int bit = 0; low_left + bit < length; bit += 64) {
    if (limbs::window(left, low_left + bit) != limbs::window(right, low_right + bit)) return false;
  }
  return true;
}

}  // namespace shardproof
