#include "judge/whole_gradient.h"

#include <algorithm>

namespace shardproof {

WholeGradient::WholeGradient(const Trial& trial, std::size_t step)
    : ranks_(std::get<Returned>(trial.outcome).results[step]) {
  if (trial.claim->result == Result::whole) return;
  joined_.resize(ranks_.front().gradient.values().size());
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    const Piece piece = expected_piece(trial, step, r);
    const std::span<const double> own = ranks_[r].gradient.values();
    std::ranges::copy(own.subspan(piece.offset, piece.length),
                      joined_.begin() + static_cast<std::ptrdiff_t>(piece.offset));
  }
}

std::span<const double> WholeGradient::of_rank(std::size_t rank) const {
  return in_pieces() ? std::span<const double>(joined_) : ranks_[rank].gradient.values();
}

}  // namespace shardproof
