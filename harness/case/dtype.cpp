#include "shardproof/case/dtype.h"

#include <array>
#include <cmath>
#include <limits>

namespace shardproof {
namespace {

constexpr std::array kDtypes{Dtype::f64, Dtype::f32};

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

}  // namespace

const Format& format(Dtype dtype) { return dtype == Dtype::f32 ? kF32 : kF64; }

double next_up(Dtype dtype, double value) {
  if (dtype == Dtype::f64) return std::nextafter(value, std::numeric_limits<double>::infinity());
  const float rounded = static_cast<float>(value);
  if (static_cast<double>(rounded) > value) return static_cast<double>(rounded);
  return static_cast<double>(std::nextafter(rounded, std::numeric_limits<float>::infinity()));
}

double next_down(Dtype dtype, double value) { return -next_up(dtype, -value); }

std::string_view name(Dtype dtype) { return dtype == Dtype::f32 ? "f32" : "f64"; }

std::optional<Dtype> parse_dtype(std::string_view text) {
  for (Dtype dtype : kDtypes) {
    if (name(dtype) == text) return dtype;
  }
  return std::nullopt;
}

std::span<const Dtype> all_dtypes() { return kDtypes; }

}  // namespace shardproof
