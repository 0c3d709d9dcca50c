#include "subject/plugin/native.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace shardproof {
namespace {

template <class T>
T load(const std::byte* from, std::size_t index) {
  T value;
  std::memcpy(&value, from + index * sizeof value, sizeof value);
  return value;
}

template <class T>
void store(std::byte* to, std::size_t index, T value) {
  std::memcpy(to + index * sizeof value, &value, sizeof value);
}

double of_bf16(std::uint16_t bits) {
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16));
}

double of_f16(std::uint16_t bits) {
  constexpr int kFractionBits = 10;
  constexpr int kExponents = 31;  // all ones: infinities and NaN
  constexpr int kBias = 15;
  const int exponent = (bits >> kFractionBits) & kExponents;
  const int fraction = bits & ((1 << kFractionBits) - 1);
  double magnitude = 0;
  if (exponent == kExponents) {
    magnitude = fraction == 0 ? std::numeric_limits<double>::infinity()
                              : std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    magnitude = std::ldexp(fraction, 1 - kBias - kFractionBits);
  } else {
    magnitude = std::ldexp(fraction + (1 << kFractionBits), exponent - kBias - kFractionBits);
  }
  return (bits >> 15) != 0 ? -magnitude : magnitude;
}

}  // namespace

std::size_t native_size(Dtype dtype) {
  if (has_16_bits(dtype)) return sizeof(std::uint16_t);
  return dtype == Dtype::f32 ? sizeof(float) : sizeof(double);
}

void to_native(Dtype dtype, std::span<const double> values, std::byte* to) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (dtype == Dtype::f64) {
      store(to, i, values[i]);
    } else if (dtype == Dtype::f32) {
      store(to, i, static_cast<float>(values[i]));
    } else {
      store(to, i, static_cast<std::uint16_t>(encoding(dtype, values[i])));
    }
  }
}

void from_native(Dtype dtype, const std::byte* from, std::span<double> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (dtype == Dtype::f64) {
      values[i] = load<double>(from, i);
    } else if (dtype == Dtype::f32) {
      values[i] = static_cast<double>(load<float>(from, i));
    } else {
      const auto bits = load<std::uint16_t>(from, i);
      values[i] = dtype == Dtype::bf16 ? of_bf16(bits) : of_f16(bits);
    }
  }
}

}  // namespace shardproof
