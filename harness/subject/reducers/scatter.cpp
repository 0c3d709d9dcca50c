#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "shardproof/subject/sharded.h"
#include "shardproof/subject/strategy.h"
#include "subject/reducers/rounded.h"

namespace shardproof {
namespace {

std::size_t piece_length(Cut cut, std::size_t elements, WorldSize ranks) {
  if (cut == Cut::floored) return elements / static_cast<std::size_t>(ranks.value);
  return even_piece_length(elements, ranks);
}

class ScatterReducer final : public Reducer {
 public:
  ScatterReducer(Cut cut, const ReducerSetup& setup)
      : cut_(cut),
        shape_(setup.shape),
        dtype_(setup.dtype),
        me_(setup.rank.index),
        world_(setup.world_size.value),
        length_(piece_length(cut, setup.shape->size, setup.world_size)),
        sums_(std::max(length_ * static_cast<std::size_t>(world_), setup.shape->size)),
        arriving_(length_) {}

  std::optional<Reduced> contribute(Communicator& ranks, Contribution& mine) override {
    if (mine.micro_batch == 0) {
      std::ranges::fill(sums_, 0.0);
      totals_ = {};
    }
    add(mine);
    if (!mine.last) return std::nullopt;
    add_totals(ranks);
    if (totals_[kCountAt] == 0) {
      throw Decline("no valid row in step " + std::to_string(mine.step));
    }
    scatter_sums(ranks);
    return result(ranks);
  }

 private:
  using Totals = std::array<double, kGradientAt>;  // count, loss

  void add(const Contribution& mine) {
    const auto count = static_cast<double>(mine.valid.value);
    if (count == 0) return;
    totals_[kCountAt] += count;
    add_term(totals_[kLossAt], mine.loss, count);
    const std::span<const double> gradient = mine.gradient.values();
    for (std::size_t e = 0; e < gradient.size(); ++e) add_term(sums_[e], gradient[e], count);
  }

  void add_term(double& sum, double mean, double count) const {
    sum = round_to(dtype_, sum + round_to(dtype_, mean * count));
  }

  /// Of all ranks, in rank order.
  void add_totals(Communicator& ranks) {
    const std::vector<double> all = ranks.all_gather<double>(totals_);
    std::copy_n(all.begin(), kGradientAt, totals_.begin());
    for (std::size_t at = kGradientAt; at < all.size(); at += kGradientAt) {
      add_rounded(dtype_, totals_, kCountAt, std::span(all).subspan(at, kGradientAt));
    }
  }

  [[nodiscard]] std::span<double> chunk(int index) {
    const int wrapped = ((index % world_) + world_) % world_;
    return std::span(sums_).subspan(static_cast<std::size_t>(wrapped) * length_, length_);
  }

  /// The chunk whose sum is complete at the end; a ring that starts one chunk too late ends with
  /// that of the next rank.
  [[nodiscard]] int final_chunk() const { return cut_ == Cut::shifted ? me_ + 1 : me_; }

  void scatter_sums(Communicator& ranks) {
    if (length_ == 0) return;
    const Rank next{(me_ + 1) % world_};
    const Rank previous{(me_ + world_ - 1) % world_};
    for (int i = 1; i < world_; ++i) {
      ranks.send<double>(next, chunk(final_chunk() - i));
      ranks.receive<double>(previous, arriving_);
      const std::span<double> sums = chunk(final_chunk() - i - 1);
      for (std::size_t e = 0; e < length_; ++e) {
        sums[e] = round_to(dtype_, sums[e] + arriving_[e]);
      }
    }
  }

  Reduced result(Communicator& ranks) {
    const double count = totals_[kCountAt];
    const std::size_t begin = std::min(shape_->size, static_cast<std::size_t>(me_) * length_);
    const Piece mine{begin, std::min(length_, shape_->size - begin)};
    Reduced reduced{.gradient = Tree(shape_),
                    .loss = round_to(dtype_, totals_[kLossAt] / count),
                    .count = count,
                    .norm = std::nullopt};
    const std::span<const double> sums = chunk(final_chunk());
    const std::span<double> piece = reduced.gradient.values().subspan(mine.offset, mine.length);
    for (std::size_t e = 0; e < piece.size(); ++e) piece[e] = round_to(dtype_, sums[e] / count);
    if (cut_ == Cut::floored) reduced.piece = mine;
    reduced.norm = norm_of_all(ranks, piece);
    return reduced;
  }

  [[nodiscard]] std::optional<double> norm_of_all(Communicator& ranks,
                                                  std::span<const double> piece) const {
    const Squares own = squares_of(piece);
    Squares all;
    for (const Squares& one : ranks.all_gather<Squares>({&own, 1})) {
      all.sum += one.sum;
      if (!(one.largest <= all.largest)) all.largest = one.largest;
      if (std::isnan(one.largest)) return std::nullopt;
    }
    return root_of(all, dtype_);
  }

  Cut cut_;
  SharedShape shape_;
  Dtype dtype_;
  int me_;
  int world_;
  std::size_t length_;        // of a piece, padding included
  std::vector<double> sums_;  // the flat tree, padded
  std::vector<double> arriving_;
  Totals totals_{};
};

}  // namespace

ReducerFactory scatter_reducers(Cut cut) {
  return [cut](const ReducerSetup& setup) { return std::make_unique<ScatterReducer>(cut, setup); };
}

Claim scatter_claim() {
  Strategy ring;
  ring.topology = Topology::ring;
  Claim claim = claim_of(ring);
  claim.result = Result::pieces;
  return claim;
}

}  // namespace shardproof
