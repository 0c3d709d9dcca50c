#include "shardproof/subject/pieces.h"

#include <algorithm>
#include <string>

namespace shardproof {
namespace {

/// Which rank holds each element of the tree.
class Cover {
 public:
  explicit Cover(const TreeShape& shape) : shape_(shape), holder_(shape.size, kNobody) {}

  /// \return  what is wrong with the piece of `rank`
  std::optional<std::string> add(const Piece& piece, int rank) {
    for (std::size_t e = piece.offset; e < piece.end(); ++e) {
      if (holder_[e] == kNobody) {
        holder_[e] = rank;
        continue;
      }
      std::size_t last = e;
      while (last + 1 < piece.end() && holder_[last + 1] == holder_[e]) ++last;
      return "its piece overlaps that of rank " + std::to_string(holder_[e]) + ": both hold " +
             elements(e, last);
    }
    return std::nullopt;
  }

  /// Elements that no rank holds.
  [[nodiscard]] std::optional<std::string> gap() const {
    const auto first = std::ranges::find(holder_, kNobody);
    if (first == holder_.end()) return std::nullopt;
    const auto end = std::find_if(first, holder_.end(), [](int rank) { return rank != kNobody; });
    return elements(static_cast<std::size_t>(first - holder_.begin()),
                    static_cast<std::size_t>(end - holder_.begin()) - 1);
  }

  /// The rank whose piece lies before the gap, or else the first.
  [[nodiscard]] int rank_before_gap() const {
    const auto first = std::ranges::find(holder_, kNobody);
    return first == holder_.begin() ? 0 : *std::prev(first);
  }

 private:
  static constexpr int kNobody = -1;

  /// `kernel[1,0] to bias[0] (elements 2 to 4 of 5)`.
  [[nodiscard]] std::string elements(std::size_t first, std::size_t last) const {
    const std::string of = " of " + std::to_string(shape_.size) + ")";
    if (first == last) {
      return element_name(shape_, first) + " (element " + std::to_string(first) + of;
    }
    return element_name(shape_, first) + " to " + element_name(shape_, last) + " (elements " +
           std::to_string(first) + " to " + std::to_string(last) + of;
  }

  const TreeShape& shape_;
  std::vector<int> holder_;
};

std::string text(const Piece& piece) {
  return std::to_string(piece.length) + " elements from element " + std::to_string(piece.offset) +
         " on";
}

/// The piece as it is judged: without padding. Nothing where it reaches beyond the padded tree.
std::optional<Piece> within(const Piece& said, std::size_t elements, std::size_t padded) {
  if (said.length > padded || said.offset > padded - said.length) return std::nullopt;
  const std::size_t offset = std::min(said.offset, elements);
  return Piece{offset, std::min(said.length, elements - offset)};
}

/// How long the pieces of the ranks are.
std::string all_pieces(const std::vector<RankResult>& ranks) {
  const auto same = [&](const RankResult& rank) {
    return rank.piece->length == ranks.front().piece->length;
  };
  if (std::ranges::all_of(ranks, same)) {
    return "each of " + std::to_string(ranks.size()) + " ranks returned a piece of " +
           std::to_string(ranks.front().piece->length);
  }
  std::string all;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    all += (r == 0 ? "rank " : ", rank ") + std::to_string(r) + " returned " +
           std::to_string(ranks[r].piece->length);
  }
  return all;
}

void clear_outside(const Piece& piece, Tree& tree) {
  const std::span<double> values = tree.values();
  std::ranges::fill(values.first(piece.offset), 0.0);
  std::ranges::fill(values.subspan(piece.end()), 0.0);
}

std::optional<Misbehaved> settle_step(std::vector<RankResult>& ranks, int step) {
  const SharedShape shape = ranks.front().gradient.shared_shape();
  const WorldSize world{static_cast<int>(ranks.size())};
  const std::size_t padded = even_piece_length(shape->size, world) * ranks.size();
  Cover cover(*shape);
  for (int r = 0; r < world.value; ++r) {
    RankResult& result = ranks[static_cast<std::size_t>(r)];
    const Piece said = result.piece.value_or(even_piece(shape->size, world, Rank{r}));
    const std::optional<Piece> piece = within(said, shape->size, padded);
    if (!piece) {
      return Misbehaved{Rank{r}, step,
                        "its piece of " + text(said) + " reaches beyond the tree of " +
                            std::to_string(shape->size) + ", padded to " + std::to_string(padded)};
    }
    if (auto overlap = cover.add(*piece, r)) return Misbehaved{Rank{r}, step, *std::move(overlap)};
    result.piece = piece;
    clear_outside(*piece, result.gradient);
  }
  const std::optional<std::string> gap = cover.gap();
  if (!gap) return std::nullopt;
  return Misbehaved{Rank{cover.rank_before_gap()}, step,
                    *gap + " is in no rank's piece: " + all_pieces(ranks)};
}

}  // namespace

std::optional<Misbehaved> settle_pieces(Returned& returned) {
  for (std::size_t s = 0; s < returned.results.size(); ++s) {
    if (returned.results[s].empty()) continue;
    if (auto misfit = settle_step(returned.results[s], static_cast<int>(s))) return misfit;
  }
  return std::nullopt;
}

}  // namespace shardproof
