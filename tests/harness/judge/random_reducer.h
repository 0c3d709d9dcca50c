#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "shardproof/subject/reducer.h"

namespace shardproof {

/// A right way to reduce local means to the weighted mean, another one for every seed: placements
/// of the division, reciprocals, factors before and after, orders and trees, fused and compensated
/// sums, running means over micro-batches, ranks averaged first. It shares nothing with the
/// built-in reducers.
class RandomReducer {
 public:
  /// \param accumulate  the dtype of every intermediate result
  RandomReducer(std::uint64_t seed, Dtype accumulate) : random_(seed), dtype_(accumulate) {
    placement_ = below(7);
    joining_ = below(4);
    order_ = below(5);
  }

  Reduced operator()(std::span<std::vector<Contribution>> ranks, Dtype output) {
    Reduced reduced;
    const Contribution& any = ranks.front().front();
    std::vector<double> values;
    for (std::size_t e = 0; e <= any.gradient.values().size(); ++e) {
      values.push_back(round_to(output, element(ranks, e)));
    }
    reduced.loss = values.back();
    values.pop_back();
    reduced.gradient = Tree(any.gradient.shared_shape(), std::move(values));
    return reduced;
  }

  /// What was chosen, for the message of a failure.
  [[nodiscard]] std::string choices() const {
    return "placement " + std::to_string(placement_) + ", joining " + std::to_string(joining_) +
           ", order " + std::to_string(order_);
  }

 private:
  struct Term {
    double value = 0;
    double count = 0;
  };

  int below(int limit) { return static_cast<int>(random_() % static_cast<std::uint64_t>(limit)); }
  [[nodiscard]] double r(double value) const { return round_to(dtype_, value); }
  [[nodiscard]] double fused(double a, double b, double c) const {
    if (dtype_ == Dtype::f64) return std::fma(a, b, c);
    if (dtype_ != Dtype::f32) return r(std::fma(a, b, c));  // a product of 16 bits is exact
    return std::fma(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c));
  }

  double element(std::span<std::vector<Contribution>> ranks, std::size_t e) {
    std::vector<Term> terms;
    double rows = 0;
    for (const std::vector<Contribution>& rank : ranks) {
      std::vector<Term> own;
      for (const Contribution& c : rank) {
        const auto count = static_cast<double>(c.valid.value);
        rows += count;
        const bool loss = e == c.gradient.values().size();
        if (count > 0) own.push_back({r(loss ? c.loss : c.gradient.values()[e]), count});
      }
      join(own, terms);
    }
    return placed(terms, rows);
  }

  /// A rank's micro-batches as they are, or its own mean over them.
  void join(const std::vector<Term>& own, std::vector<Term>& terms) {
    if (own.size() < 2 || joining_ == 0) {
      terms.insert(terms.end(), own.begin(), own.end());
      return;
    }
    Term mean;
    for (const Term& term : own) {
      const double before = mean.count;
      mean.count += term.count;
      if (joining_ == 1) {
        mean.value = r(mean.value + r(r(term.value - mean.value) * r(term.count / mean.count)));
      } else if (joining_ == 2) {
        mean.value =
            r(r(mean.value * r(before / mean.count)) + r(term.value * r(term.count / mean.count)));
      } else {
        mean.value = r(mean.value + r(term.count * term.value));
      }
    }
    if (joining_ == 3) mean.value = r(mean.value / mean.count);
    terms.push_back(mean);
  }

  double placed(const std::vector<Term>& terms, double rows) {
    const double reciprocal = r(1 / rows);
    const double first = r(std::sqrt(rows));
    const double second = r(rows / first);
    std::vector<double> factors;
    std::vector<double> leaves;
    for (const Term& t : terms) {
      double leaf = r(t.count * t.value);
      double factor = t.count;
      if (placement_ == 2) leaf = r((factor = r(t.count / rows)) * t.value);
      if (placement_ == 3) leaf = r((factor = r(t.count * reciprocal)) * t.value);
      if (placement_ == 4) leaf = r(r(t.value / rows) * t.count);
      if (placement_ == 5) leaf = r(leaf / rows);
      if (placement_ == 6) leaf = r(leaf / first);
      leaves.push_back(leaf);
      factors.push_back(factor);
    }
    const bool fusible = placement_ < 4;
    const double sum = order_ == 4 && fusible ? fused_sum(terms, factors) : added(leaves);
    if (placement_ == 0) return r(sum / rows);
    if (placement_ == 1) return r(sum * reciprocal);
    return placement_ == 6 ? r(sum / second) : sum;
  }

  double fused_sum(const std::vector<Term>& terms, const std::vector<double>& factors) {
    double sum = 0;
    for (std::size_t i = 0; i < terms.size(); ++i) sum = fused(factors[i], terms[i].value, sum);
    return sum;
  }

  double added(std::vector<double> leaves) {
    std::shuffle(leaves.begin(), leaves.end(), random_);
    if (order_ == 0) {
      std::ranges::sort(leaves, [](double a, double b) { return std::abs(a) > std::abs(b); });
    }
    if (order_ == 1) return kahan(leaves);
    while (leaves.size() > 1) {  // any tree, or one by one
      const std::size_t at = order_ == 2 ? random_() % leaves.size() : leaves.size() - 1;
      const double taken = leaves[at];
      leaves[at] = leaves.back();
      leaves.pop_back();
      double& other = order_ == 2 ? leaves[random_() % leaves.size()] : leaves.back();
      other = r(other + taken);
    }
    return leaves.front();
  }

  [[nodiscard]] double kahan(const std::vector<double>& leaves) const {
    double sum = 0;
    double lost = 0;
    for (double leaf : leaves) {
      const double corrected = r(leaf - lost);
      const double next = r(sum + corrected);
      lost = r(r(next - sum) - corrected);
      sum = next;
    }
    return sum;
  }

  std::mt19937_64 random_;
  Dtype dtype_;
  int placement_ = 0;
  int joining_ = 0;
  int order_ = 0;
};

}  // namespace shardproof
