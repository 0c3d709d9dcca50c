#include <algorithm>

#include "shardproof/subject/strategy.h"
#include "subject/reducers/rounded.h"

namespace shardproof {
namespace {

/// A compensated sum: `sum - lost` is the sum so far, but for errors of second order.
struct Compensated {
  double sum = 0;
  double lost = 0;

  void add(Dtype dtype, double term) {
    const double corrected = round_to(dtype, term - lost);
    const double next = round_to(dtype, sum + corrected);
    lost = round_to(dtype, round_to(dtype, next - sum) - corrected);
    sum = next;
  }
};

class KahanReducer final : public Reducer {
 public:
  explicit KahanReducer(const ReducerSetup& setup)
      : shape_(setup.shape), dtype_(setup.dtype), own_(1 + elements()) {}

  std::optional<Reduced> contribute(Communicator& ranks, Contribution& c) override {
    if (c.micro_batch == 0) std::ranges::fill(own_, Compensated{});
    const auto count = static_cast<double>(c.valid.value);
    own_[0].sum += count;
    if (count > 0) {
      own_[1].add(dtype_, round_to(dtype_, c.loss * count));
      for (std::size_t e = 0; e < shape_->size; ++e) {
        own_[2 + e].add(dtype_, round_to(dtype_, c.gradient.values()[e] * count));
      }
    }
    if (!c.last) return std::nullopt;
    ranks.publish<Compensated>(own_);
    ranks.barrier();
    Reduced reduced = sum_up(ranks);
    if (*reduced.count == 0) {
      throw Decline("no valid row in step " + std::to_string(c.step));
    }
    return reduced;
  }

 private:
  [[nodiscard]] std::size_t elements() const { return 1 + shape_->size; }  // the loss and the tree

  [[nodiscard]] Reduced sum_up(const Communicator& ranks) const {
    const int world = ranks.world_size().value;
    double count = 0;
    for (int r = 0; r < world; ++r) count += ranks.slot<Compensated>(Rank{r})[0].sum;
    const auto total = [&](std::size_t element) {
      Compensated sum;
      for (int r = 0; r < world; ++r) {
        const Compensated& term = ranks.slot<Compensated>(Rank{r})[element];
        sum.add(dtype_, term.sum);
        if (term.lost != 0) sum.add(dtype_, -term.lost);
      }
      return round_to(dtype_, sum.sum / count);
    };
    Reduced reduced{.gradient = Tree(shape_), .loss = total(1), .count = count, .norm = {}};
    for (std::size_t e = 0; e < shape_->size; ++e) reduced.gradient.values()[e] = total(2 + e);
    reduced.norm = euclidean_norm(reduced.gradient.values(), dtype_);
    return reduced;
  }

  SharedShape shape_;
  Dtype dtype_;
  std::vector<Compensated> own_;  // [count, loss, gradient...]; the count needs no compensation
};

}  // namespace

Claim kahan_claim() {
  Claim claim = claim_of(Strategy{});
  claim.summation = Summation::any;
  return claim;
}

ReducerFactory kahan_reducers() {
  return [](const ReducerSetup& setup) { return std::make_unique<KahanReducer>(setup); };
}

}  // namespace shardproof
