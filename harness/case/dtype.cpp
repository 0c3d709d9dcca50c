#include "shardproof/case/dtype.h"

#include <array>

namespace shardproof {
namespace {

constexpr std::array kDtypes{Dtype::f64, Dtype::f32, Dtype::bf16, Dtype::f16};
constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class T>
constexpr Format format_of() {
  using Limits = std::numeric_limits<T>;
  return {.precision = Limits::digits,
          .min_exponent = Limits::min_exponent - 1,
          .unit_roundoff = static_cast<double>(Limits::epsilon()) / 2,
          .smallest_normal = static_cast<double>(Limits::min()),
          .smallest_subnormal = static_cast<double>(Limits::denorm_min()),
          .largest = static_cast<double>(Limits::max())};
}

constexpr Format kF64 = format_of<double>();
constexpr Format kF32 = format_of<float>();
constexpr Format kBf16{.precision = 8,
                       .min_exponent = -126,
                       .unit_roundoff = 0x1p-8,
                       .smallest_normal = 0x1p-126,
                       .smallest_subnormal = 0x1p-133,
                       .largest = 0x1.fep127};
constexpr Format kF16{.precision = 11,
                      .min_exponent = -14,
                      .unit_roundoff = 0x1p-11,
                      .smallest_normal = 0x1p-14,
                      .smallest_subnormal = 0x1p-24,
                      .largest = 65504};

/// The distance from a positive value of the format to the next one away from zero.
double gap_above(const Format& f, double value) {
  if (value < f.smallest_normal) return f.smallest_subnormal;
  return std::ldexp(f.unit_roundoff, 1 + std::ilogb(value));
}

/// The next value of a 16-bit format above one of its values.
double above(const Format& f, double value) {
  if (value == kInfinity) return value;
  if (value == -kInfinity) return -f.largest;
  if (value >= 0) {
    const double next = value + gap_above(f, value);
    return next > f.largest ? kInfinity : next;
  }
  // Towards zero the gap halves below a power of two.
  const double size = -value;
  const double gap = gap_above(f, size);
  const bool narrows = size > f.smallest_normal && size == std::ldexp(1.0, std::ilogb(size));
  return -(size - (narrows ? gap / 2 : gap));
}

}  // namespace

const Format& format(Dtype dtype) {
  switch (dtype) {
    case Dtype::f64:
      return kF64;
    case Dtype::f32:
      return kF32;
    case Dtype::bf16:
      return kBf16;
    case Dtype::f16:
      return kF16;
  }
  return kF64;
}

double next_up(Dtype dtype, double value) {
  if (dtype == Dtype::f64) return std::nextafter(value, kInfinity);
  const double rounded = round_to(dtype, value);
  if (rounded > value || std::isnan(value)) return rounded;
  if (dtype == Dtype::f32) {
    return static_cast<double>(
        std::nextafter(static_cast<float>(rounded), std::numeric_limits<float>::infinity()));
  }
  return above(format(dtype), rounded);
}

double next_down(Dtype dtype, double value) { return -next_up(dtype, -value); }

std::uint64_t encoding(Dtype dtype, double value) {
  if (dtype == Dtype::f64) return std::bit_cast<std::uint64_t>(value);
  const auto single = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  if (dtype == Dtype::f32) return single;
  if (dtype == Dtype::bf16) return single >> 16U;
  const std::uint64_t sign = std::signbit(value) ? 0x8000U : 0U;
  const double size = std::abs(value);
  if (std::isnan(value)) return sign | 0x7e00U;
  if (std::isinf(value)) return sign | 0x7c00U;
  if (size < kF16.smallest_normal) {
    return sign | static_cast<std::uint64_t>(size / kF16.smallest_subnormal);
  }
  const int exponent = std::ilogb(size);
  const auto significand = static_cast<std::uint64_t>(std::ldexp(size, 10 - exponent));
  // The hidden bit of the significand adds the missing one to the exponent.
  return sign | ((static_cast<std::uint64_t>(exponent + 14) << 10U) + significand);
}

std::string_view name(Dtype dtype) {
  switch (dtype) {
    case Dtype::f64:
      return "f64";
    case Dtype::f32:
      return "f32";
    case Dtype::bf16:
      return "bf16";
    case Dtype::f16:
      return "f16";
  }
  return "";
}

std::optional<Dtype> parse_dtype(std::string_view text) {
  for (Dtype dtype : kDtypes) {
    if (name(dtype) == text) return dtype;
  }
  return std::nullopt;
}

std::span<const Dtype> all_dtypes() { return kDtypes; }

}  // namespace shardproof
