#include <array>
#include <bit>

#include "subject/reducers/rank_sum.h"
#include "subject/reducers/rounded.h"

namespace shardproof {
namespace {

struct Range {
  std::size_t begin;
  std::size_t end;
  [[nodiscard]] std::size_t size() const { return end - begin; }
};

/// The half of `whole` that the rank keeps, and the one that it gives away.
struct Halves {
  Range kept;
  Range given;
};

Halves halves(Range whole, bool lower) {
  const std::size_t middle = whole.begin + whole.size() / 2;
  const Range low{whole.begin, middle};
  const Range high{middle, whole.end};
  return lower ? Halves{low, high} : Halves{high, low};
}

/// Recursive halving and doubling among the first `core` ranks, a power of two. Each element is
/// summed up by one rank alone, so all ranks get the same bits.
void sum_in_core(RankSum sum, int core) {
  auto& [ranks, accumulate, data] = sum;
  const int me = ranks.rank().index;
  const std::span<double> values(data.values);
  const std::span<double> scratch(data.scratch);
  const auto cut = [](std::span<double> all, Range r) { return all.subspan(r.begin, r.size()); };
  std::array<Halves, 8> levels{};  // kMaxWorldSize has 6
  std::size_t level = 0;
  Range whole{0, values.size()};
  for (int bit = core / 2; bit > 0; bit /= 2) {
    const Rank partner{me ^ bit};
    const auto [kept, given] = levels[level++] = halves(whole, (me & bit) == 0);
    if (given.size() > 0) ranks.send<double>(partner, cut(values, given));
    if (kept.size() > 0) {
      ranks.receive<double>(partner, cut(scratch, kept));
      add_rounded(accumulate, values, kept.begin, cut(scratch, kept));
    }
    whole = kept;
  }
  for (int bit = 1; bit < core; bit *= 2) {
    const Rank partner{me ^ bit};
    const auto [kept, given] = levels[--level];
    if (kept.size() > 0) ranks.send<double>(partner, cut(values, kept));
    if (given.size() > 0) ranks.receive<double>(partner, cut(values, given));
  }
}

}  // namespace

void sum_by_halving_doubling(RankSum sum) {
  auto& [ranks, accumulate, data] = sum;
  const int world = ranks.world_size().value;
  const int me = ranks.rank().index;
  const int core = static_cast<int>(std::bit_floor(static_cast<unsigned>(world)));
  if (me >= core) {  // a spare rank: folds into its partner and gets the result back
    const Rank partner{me - core};
    ranks.send<double>(partner, data.values);
    ranks.receive<double>(partner, data.values);
    return;
  }
  const bool has_spare = me + core < world;
  if (has_spare) {
    ranks.receive<double>(Rank{me + core}, data.scratch);
    add_rounded(accumulate, data.values, 0, data.scratch);
  }
  sum_in_core(sum, core);
  if (has_spare) ranks.send<double>(Rank{me + core}, data.values);
}

}  // namespace shardproof
