#include "subject/plugin/guarded_buffer.h"

#include <algorithm>
#include <string>

#include "subject/plugin/native.h"
#include "subject/rank_misbehaved.h"

namespace shardproof {
namespace {

/// Of each border, in bytes; what is written farther away is mostly not this process's and crashes.
constexpr std::size_t kBorder = 256;
constexpr std::byte kUntouched{0xa5};

}  // namespace

GuardedBuffer::GuardedBuffer(Dtype dtype, std::size_t count, std::size_t shift)
    : dtype_(dtype),
      count_(count),
      begin_(kBorder + shift * native_size(dtype)),
      memory_(begin_ + count * native_size(dtype) + kBorder, kUntouched) {
  std::fill_n(bytes(), count * native_size(dtype), std::byte{0});
}

GuardedBuffer::GuardedBuffer(Dtype dtype, std::span<const double> values, std::size_t shift)
    : GuardedBuffer(dtype, values.size(), shift) {
  write(0, values);
}

void GuardedBuffer::write(std::size_t first, std::span<const double> values) {
  to_native(dtype_, values, bytes() + first * native_size(dtype_));
}

void GuardedBuffer::read(std::size_t first, std::span<double> values) const {
  from_native(dtype_, memory_.data() + begin_ + first * native_size(dtype_), values);
}

std::vector<double> GuardedBuffer::values() const {
  std::vector<double> all(count_);
  read(0, all);
  return all;
}

void GuardedBuffer::check(std::string_view what) const {
  const auto touched = [](std::byte byte) { return byte != kUntouched; };
  const std::size_t end = begin_ + count_ * native_size(dtype_);
  const auto first = memory_.begin();
  const auto begin = first + static_cast<std::ptrdiff_t>(begin_);
  const auto behind = first + static_cast<std::ptrdiff_t>(end);
  if (const auto before = std::find_if(first, begin, touched); before != begin) {
    throw RankMisbehaved("wrote outside " + std::string(what) + ": " +
                         std::to_string(begin - before) + " bytes before its begin");
  }
  if (const auto after = std::find_if(behind, memory_.end(), touched); after != memory_.end()) {
    throw RankMisbehaved("wrote outside " + std::string(what) + ": " +
                         std::to_string(after - behind) + " bytes behind its end");
  }
}

}  // namespace shardproof
