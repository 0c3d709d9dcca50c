#pragma once

#include <rapidcheck/Random.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace shardproof {

/// Where generators take their choices from: the bits of one RapidCheck random number generator,
/// handed out in small pieces. Equal generators give equal choices.
///
/// RapidCheck's combinators allocate for every drawn number (about a microsecond each); a whole
/// case is some hundred numbers, so its body draws them from here.
class Source {
 public:
  explicit Source(const rc::Random& random) : random_(random) {}

  /// 64 fresh bits.
  std::uint64_t bits() { return random_.next(); }

  /// A number of 0 .. count - 1, equally likely up to count / 65536. \pre 1 <= count <= 65536
  int below(int count) {
    if (left_ == 0) {
      pool_ = bits();
      left_ = 4;
    }
    const std::uint64_t piece = pool_ & 0xffffU;
    pool_ >>= 16;
    --left_;
    return static_cast<int>((piece * static_cast<std::uint64_t>(count)) >> 16);
  }

  /// A number of low .. high, both included. \pre low <= high, fewer than 65536 apart
  int between(int low, int high) { return low + below(high - low + 1); }

  /// True in `hits` of `of` draws.
  bool chance(int hits, int of) { return below(of) < hits; }

  /// A multiple of 2^-52 in [0, 1).
  double unit() { return static_cast<double>(bits() >> 12) * 0x1p-52; }

  /// 1 or -1.
  double sign() { return below(2) == 0 ? 1 : -1; }

  /// One of the choices. \pre there is one
  template <class T>
  const T& pick(std::span<const T> choices) {
    return choices[static_cast<std::size_t>(below(static_cast<int>(choices.size())))];
  }

  /// Puts the values in an order, all equally likely.
  template <class T>
  void shuffle(std::span<T> values) {
    for (std::size_t left = values.size(); left > 1; --left) {
      std::swap(values[left - 1], values[static_cast<std::size_t>(below(static_cast<int>(left)))]);
    }
  }

 private:
  rc::Random random_;
  std::uint64_t pool_ = 0;
  int left_ = 0;  ///< pieces of 16 bits that the pool still holds
};

}  // namespace shardproof
