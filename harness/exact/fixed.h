#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "exact/limbs.h"
#include "shardproof/exact/dyadic.h"

namespace shardproof::exact {

/// A signed integer of 64 N bits in two's complement, little-endian limbs. Operations wrap; whoever
/// uses it has counted bits beforehand so that no final result does.
template <int N>
struct Fixed {
  std::array<std::uint64_t, N> limb{};
};

template <int N>
inline std::uint64_t sign_mask(const Fixed<N>& value) {
  return std::uint64_t{0} - (value.limb[N - 1] >> 63);
}

template <int N>
inline limbs::Uint128 low_128(const Fixed<N>& value) {
  const std::uint64_t high = N == 1 ? sign_mask(value) : value.limb[N > 1 ? 1 : 0];
  return (limbs::Uint128{high} << 64) | value.limb[0];
}

template <int N>
inline void add(Fixed<N>& sum, const Fixed<N>& term) {
  limbs::Uint128 carry = 0;
#pragma GCC unroll 8
  for (std::size_t i = 0; i < N; ++i) {
    carry += limbs::Uint128{sum.limb[i]} + term.limb[i];
    sum.limb[i] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
}

/// Subtracts (value & mask) * 2^(64 offset), mask being 0 or all ones.
template <int N, int M>
inline void subtract_masked(Fixed<N>& from, const Fixed<M>& value, std::uint64_t mask,
                            std::size_t offset) {
  std::uint64_t borrow = 0;
#pragma GCC unroll 8
  for (std::size_t i = offset; i < N; ++i) {
    const std::uint64_t word = i - offset < M ? value.limb[i - offset] & mask : 0;
    const limbs::Uint128 rest = limbs::Uint128{from.limb[i]} - word - borrow;
    from.limb[i] = static_cast<std::uint64_t>(rest);
    borrow = static_cast<std::uint64_t>(rest >> 64) & 1;
  }
}

template <int N>
inline void negate(Fixed<N>& value) {
  Fixed<N> result;
  subtract_masked(result, value, ~std::uint64_t{0}, 0);
  value = result;
}

/// The low 64 C bits of a * b.
template <int C, int A, int B>
inline Fixed<C> product(const Fixed<A>& a, const Fixed<B>& b) {
  static_assert(C <= A + B, "a wider product would need its sign extended");
  Fixed<C> result;
#pragma GCC unroll 8
  for (std::size_t i = 0; i < A; ++i) {
    std::uint64_t carry = 0;
#pragma GCC unroll 8
    for (std::size_t j = 0; j < B; ++j) {
      if (i + j >= C) continue;
      const limbs::Uint128 word =
          limbs::Uint128{a.limb[i]} * b.limb[j] + result.limb[i + j] + carry;
      result.limb[i + j] = static_cast<std::uint64_t>(word);
      carry = static_cast<std::uint64_t>(word >> 64);
    }
    if (i + B < C) result.limb[i + B] = carry;
  }
  // The limbs were taken as unsigned: a negative a is 2^(64 A) less, a negative b 2^(64 B).
  subtract_masked(result, b, sign_mask(a), A);
  subtract_masked(result, a, sign_mask(b), B);
  return result;
}

/// sum += a * b
template <int C, int A, int B>
inline void add_product(Fixed<C>& sum, const Fixed<A>& a, const Fixed<B>& b) {
  if constexpr (C == 1) {
    sum.limb[0] += a.limb[0] * b.limb[0];
  } else if constexpr (C == 2 && A == 1 && B == 1) {
    const auto term =
        static_cast<limbs::Uint128>(static_cast<__int128>(static_cast<std::int64_t>(a.limb[0])) *
                                    static_cast<std::int64_t>(b.limb[0]));
    const limbs::Uint128 total = low_128(sum) + term;
    sum.limb = {static_cast<std::uint64_t>(total), static_cast<std::uint64_t>(total >> 64)};
  } else if constexpr (C == 2) {
    const limbs::Uint128 total = low_128(sum) + low_128(a) * low_128(b);
    sum.limb = {static_cast<std::uint64_t>(total), static_cast<std::uint64_t>(total >> 64)};
  } else {
    add(sum, product<C>(a, b));
  }
}

template <int N>
inline void scale(Fixed<N>& value, std::uint64_t weight) {
  std::uint64_t carry = 0;
#pragma GCC unroll 8
  for (std::size_t i = 0; i < N; ++i) {
    const limbs::Uint128 word = limbs::Uint128{value.limb[i]} * weight + carry;
    value.limb[i] = static_cast<std::uint64_t>(word);
    carry = static_cast<std::uint64_t>(word >> 64);
  }
}

template <int C, int N>
inline Fixed<C> extended(const Fixed<N>& value) {
  static_assert(C >= N);
  Fixed<C> result;
  for (std::size_t i = 0; i < C; ++i) result.limb[i] = i < N ? value.limb[i] : sign_mask(value);
  return result;
}

/// `value` as a multiple of 2^exponent.
/// \pre it is one, and the multiple fits
template <int N>
inline Fixed<N> aligned(double value, int exponent) {
  const limbs::Parts parts = limbs::split(value);
  Fixed<N> result;
  const int shift = parts.exponent - exponent;
  if (parts.mantissa == 0) return result;
  if (shift < 0) {
    result.limb[0] = parts.mantissa >> -shift;
  } else {
    const auto limb = static_cast<std::size_t>(shift / 64);
    result.limb[limb] = parts.mantissa << (shift % 64);
    if (limb + 1 < N) result.limb[limb + 1] = (parts.mantissa >> 1) >> (63 - shift % 64);
  }
  if (parts.negative) negate(result);
  return result;
}

template <int N>
inline Dyadic to_dyadic(Fixed<N> value, int exponent) {
  const bool negative = sign_mask(value) != 0;
  if (negative) negate(value);
  return {negative, value.limb, exponent};
}

}  // namespace shardproof::exact
