#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "shardproof/case/dtype.h"

namespace shardproof {

/// A native buffer that a plug-in is handed, with a border on both sides that nobody may write to.
class GuardedBuffer {
 public:
  /// So many elements, all zero. \param shift  elements by which it begins off its alignment
  GuardedBuffer(Dtype dtype, std::size_t count, std::size_t shift = 0);
  GuardedBuffer(Dtype dtype, std::span<const double> values, std::size_t shift = 0);

  [[nodiscard]] void* data() { return bytes(); }
  [[nodiscard]] std::byte* bytes() { return memory_.data() + begin_; }
  [[nodiscard]] Dtype dtype() const { return dtype_; }
  [[nodiscard]] std::size_t count() const { return count_; }

  void write(std::size_t first, std::span<const double> values);
  void read(std::size_t first, std::span<double> values) const;
  [[nodiscard]] std::vector<double> values() const;

  /// \param what  `the receive buffer`
  /// \throws RankMisbehaved  naming it, when its border was written to
  void check(std::string_view what) const;

 private:
  Dtype dtype_;
  std::size_t count_;
  std::size_t begin_;
  std::vector<std::byte> memory_;
};

}  // namespace shardproof
