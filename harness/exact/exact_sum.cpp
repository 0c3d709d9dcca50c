#include "shardproof/exact/exact_sum.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "exact/limbs.h"

namespace shardproof {
namespace {

using limbs::Uint128;

std::uint64_t low_half(Uint128 value) { return static_cast<std::uint64_t>(value); }
std::uint64_t high_half(Uint128 value) { return static_cast<std::uint64_t>(value >> 64); }

/// Adds `word` and a carry of 0 or 1 to `limb`. \return the carry out of it
inline unsigned add_word(std::uint64_t& limb, std::uint64_t word, unsigned carry) {
  const Uint128 sum = Uint128{limb} + word + carry;
  limb = low_half(sum);
  return static_cast<unsigned>(high_half(sum));
}

/// `magnitude` divided by 2^shift. \pre the bits shifted out are zero, 0 < shift < 64
std::vector<std::uint64_t> shifted_down(std::span<const std::uint64_t> magnitude, int shift) {
  std::vector<std::uint64_t> result(magnitude.begin(), magnitude.end());
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::uint64_t above = i + 1 < result.size() ? result[i + 1] : 0;
    result[i] = (result[i] >> shift) | (above << (64 - shift));
  }
  return result;
}

}  // namespace

ExactSum::Part& ExactSum::Part::operator=(const Part& other) {
  if (this == &other) return *this;
  low_ = other.low_;
  high_ = other.high_;
  std::copy(other.limbs_.begin() + low_, other.limbs_.begin() + high_, limbs_.begin() + low_);
  return *this;
}

void ExactSum::Part::extend(int from, int to) {
  if (empty()) low_ = high_ = from;
  while (low_ > from) limbs_[static_cast<std::size_t>(--low_)] = 0;
  while (high_ < to) limbs_[static_cast<std::size_t>(high_++)] = 0;
}

void ExactSum::Part::add_carry(int limb) {
  while (limb < high_) {
    if (++limbs_[static_cast<std::size_t>(limb)] != 0) return;
    ++limb;
  }
  // No sum of fewer than 2^64 terms carries past the last limb.
  limbs_[static_cast<std::size_t>(high_++)] = 1;
}

inline void ExactSum::Part::add(std::uint64_t low, std::uint64_t high, int position) {
  const int limb = position / 64;
  const int shift = position % 64;
  if (limb < low_ || limb + 3 > high_) [[unlikely]]
    return extend_and_add(low, high, position);
  std::uint64_t* const at = limbs_.data() + limb;
  const Uint128 term = ((Uint128{high} << 64) | low) << shift;
  const Uint128 lower = ((Uint128{at[1]} << 64) | at[0]) + term;
  at[0] = low_half(lower);
  at[1] = high_half(lower);
  // Two shifts, as one by 64 would be undefined. The top of 128 bits shifted by up to 63 stays
  // below 2^63, so the carry fits.
  const std::uint64_t top = ((high >> 1) >> (63 - shift)) + (lower < term ? 1 : 0);
  at[2] += top;
  if (at[2] < top) [[unlikely]]
    add_carry(limb + 3);
}

void ExactSum::Part::extend_and_add(std::uint64_t low, std::uint64_t high, int position) {
  const int limb = position / 64;
  if (empty()) {
    low_ = limb;
    high_ = limb + 3;
    std::fill_n(limbs_.begin() + limb, 3, 0);
  } else {
    extend(limb, limb + 3);
  }
  add(low, high, position);
}

void ExactSum::Part::add(std::span<const std::uint64_t> magnitude, std::uint64_t weight,
                         int position) {
  const int limb = position / 64;
  const int shift = position % 64;
  const auto size = static_cast<int>(magnitude.size());
  if (limb < low_ || limb + size + 2 > high_) [[unlikely]]
    extend(limb, limb + size + 2);
  std::uint64_t* at = limbs_.data() + limb;
  std::uint64_t product_carry = 0;
  std::uint64_t below = 0;
  unsigned carry = 0;
  const auto add_product_word = [&](std::uint64_t word) {
    carry = add_word(*at++, (word << shift) | ((below >> 1) >> (63 - shift)), carry);
    below = word;
  };
  for (const std::uint64_t word : magnitude) {
    const Uint128 product = Uint128{word} * weight + product_carry;
    product_carry = high_half(product);
    add_product_word(low_half(product));
  }
  add_product_word(product_carry);
  add_product_word(0);
  if (carry != 0) [[unlikely]]
    add_carry(limb + size + 2);
}

void ExactSum::add(double value, std::uint64_t weight) {
  const limbs::Parts parts = limbs::split(value);
  const Uint128 product = Uint128{parts.mantissa} * weight;
  if (product == 0) return;
  (parts.negative ? negative_ : positive_)
      .add(low_half(product), high_half(product), parts.exponent - kLowest);
}

void ExactSum::add_product(double a, double b) {
  const limbs::Parts left = limbs::split(a);
  const limbs::Parts right = limbs::split(b);
  const Uint128 product = Uint128{left.mantissa} * right.mantissa;
  if (product == 0) return;
  (left.negative != right.negative ? negative_ : positive_)
      .add(low_half(product), high_half(product), left.exponent + right.exponent - kLowest);
}

void ExactSum::add_product(double a, const Dyadic& b) {
  const limbs::Parts parts = limbs::split(a);
  add_scaled(b, parts.mantissa, parts.exponent, parts.negative);
}

void ExactSum::add_product(const Dyadic& a, const Dyadic& b) {
  int exponent = b.exponent();
  for (const std::uint64_t limb : b.limbs()) {
    add_scaled(a, limb, exponent, b.negative());
    exponent += 64;
  }
}

void ExactSum::add(const Dyadic& value, std::uint64_t weight, bool negate) {
  add_scaled(value, weight, 0, negate);
}

/// Adds value * weight * 2^exponent, or its negation.
void ExactSum::add_scaled(const Dyadic& value, std::uint64_t weight, int exponent, bool negate) {
  if (value.zero() || weight == 0) return;
  Part& part = value.negative() != negate ? negative_ : positive_;
  const std::span<const std::uint64_t> magnitude = value.limbs();
  int position = value.exponent() + exponent - kLowest;
  const int top =
      position + kLowest + limbs::bit_length(magnitude) + static_cast<int>(std::bit_width(weight));
  if (top > kHighest) throw std::range_error("a term of an exact sum is too large");
  if (position >= 0) [[likely]] {
    part.add(magnitude, weight, position);
    return;
  }
  // Zero bits at the low end may stand below the range: take them off the weight, then the value.
  const int off_weight = std::min(std::countr_zero(weight), -position);
  position += off_weight;
  const int off_value = -position;
  if (off_value > std::countr_zero(magnitude.front())) {
    throw std::range_error("a term of an exact sum has bits that are too small");
  }
  if (off_value == 0) {
    part.add(magnitude, weight >> off_weight, 0);
  } else {
    part.add(shifted_down(magnitude, off_value), weight >> off_weight, 0);
  }
}

int ExactSum::sign() const {
  const int low = std::min(positive_.low(), negative_.low());
  for (int limb = std::max(positive_.high(), negative_.high()) - 1; limb >= low; --limb) {
    const std::uint64_t up = positive_.at(limb);
    const std::uint64_t down = negative_.at(limb);
    if (up != down) return up > down ? 1 : -1;
  }
  return 0;
}

Dyadic ExactSum::total() const {
  if (negative_.empty()) return positive();
  const int sign_of_all = sign();
  if (sign_of_all == 0) return {};
  const Part& larger = sign_of_all > 0 ? positive_ : negative_;
  const Part& smaller = sign_of_all > 0 ? negative_ : positive_;
  if (smaller.empty()) return {sign_of_all < 0, larger.limbs(), larger.exponent()};
  const int low = std::min(larger.low(), smaller.low());
  std::array<std::uint64_t, kLimbs> difference;
  std::size_t size = 0;
  std::uint64_t borrow = 0;
  for (int limb = low; limb < larger.high(); ++limb) {
    const Uint128 rest = Uint128{larger.at(limb)} - smaller.at(limb) - borrow;
    difference[size++] = low_half(rest);
    borrow = high_half(rest) & 1;
  }
  return {sign_of_all < 0, std::span(difference).first(size), kLowest + 64 * low};
}

Dyadic ExactSum::positive() const { return {false, positive_.limbs(), positive_.exponent()}; }

Dyadic ExactSum::negative() const { return {false, negative_.limbs(), negative_.exponent()}; }

double ExactSum::positive_up() const {
  return limbs::rounded(positive_.limbs(), positive_.exponent(), limbs::Direction::up);
}

double ExactSum::negative_up() const {
  return limbs::rounded(negative_.limbs(), negative_.exponent(), limbs::Direction::up);
}

void ExactSum::clear() {
  positive_.clear();
  negative_.clear();
}

}  // namespace shardproof
