#pragma once

#include <cstddef>
#include <span>

#include "shardproof/case/dtype.h"

namespace shardproof {

/// Bytes of one element in its native format.
std::size_t native_size(Dtype dtype);

/// Writes values in their native format, one behind the other. \pre they are representable
void to_native(Dtype dtype, std::span<const double> values, std::byte* to);

/// Reads so many; every value of every dtype is one of binary64.
void from_native(Dtype dtype, const std::byte* from, std::span<double> values);

}  // namespace shardproof
