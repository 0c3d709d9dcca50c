#include "shardproof/subject/leaf_reduction.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "subject/reducers/leaf_rounding.h"
#include "subject/reducers/leaf_sum.h"

namespace shardproof {
namespace {

/// Elements are reduced so many at a time: all terms of a block stay in the cache.
constexpr std::size_t kBlock = 512;

/// x * factor or x / factor, rounded.
struct Operation {
  bool divide = false;
  double factor = 1;
};

/// What is done to a term before the sum, and to the sum.
using Operations = std::vector<Operation>;

void apply(const Operations& operations, Dtype dtype, std::vector<double>& leaf) {
  for (const Operation& operation : operations) {
    (operation.divide ? divide : multiply)(dtype, leaf, operation.factor);
  }
}

/// One reduction at work on some of the elements of a leaf.
class Work {
 public:
  Work(const LeafReduction& reduction, const LeafValues& values,
       const std::vector<std::vector<std::int64_t>>& counts, Dtype dtype, std::size_t first)
      : how_(reduction),
        values_(values),
        counts_(counts),
        ordering_{reduction.order, reduction.seed, {first, values.front().front().size()}},
        given_(dtype),
        accumulate_(reduction.accumulate.value_or(dtype)),
        output_(reduction.output.value_or(dtype)) {}

  std::vector<double> result() {
    take_terms();
    for (std::size_t i = 0; i < items_.values.size(); ++i) {
      apply(before(items_.counts[i]), accumulate_, items_.values[i]);
    }
    if (how_.joining == LeafJoining::ranks_first) add_up_ranks();
    for (std::vector<double>& item : items_.values) send(item);
    const Operations last = after();
    std::vector<double> sum = sum_of_items(ordering_, accumulate_, std::move(items_.values));
    if (how_.seed % 2 != 0) send(sum);
    apply(last, accumulate_, sum);
    if (accumulate_ != output_) convert(output_, sum);
    return sum;
  }

 private:
  [[nodiscard]] double rounded(double x) const { return round_to(accumulate_, x); }
  /// A count as the reducer uses it.
  [[nodiscard]] double constant(double count) const {
    return how_.declared ? count : rounded(count);
  }

  [[nodiscard]] std::size_t size() const {
    return std::min(kBlock, ordering_.block.of - ordering_.block.first);
  }

  [[nodiscard]] std::vector<double> term(std::size_t r, std::size_t m) const {
    const std::size_t first = ordering_.block.first;
    const auto block = std::span(values_[r][m]).subspan(first, size());
    std::vector<double> leaf(block.begin(), block.end());
    if (accumulate_ != given_) convert(accumulate_, leaf);
    return leaf;
  }

  void send(std::vector<double>& leaf) const {
    if (!how_.wire) return;
    convert(*how_.wire, leaf);
    convert(accumulate_, leaf);
  }

  void take_terms() {
    const bool own = how_.joining == LeafJoining::own_mean;
    const bool running = how_.joining == LeafJoining::running_mean;
    for (std::size_t r = 0; r < values_.size(); ++r) {
      std::int64_t of_rank = 0;
      for (std::int64_t count : counts_[r]) of_rank += count;
      rows_ += static_cast<double>(of_rank);
      if (own || running) {
        if (of_rank > 0 || how_.scaling == LeafScaling::mean_over_ranks) {
          items_.values.push_back(own ? own_mean(r) : running_mean(r));
          items_.counts.push_back(static_cast<double>(of_rank));
        }
        continue;
      }
      for (std::size_t m = 0; m < values_[r].size(); ++m) {
        items_.values.push_back(term(r, m));
        items_.counts.push_back(static_cast<double>(counts_[r][m]));
      }
    }
    terms_ = static_cast<double>(items_.values.size());
  }

  [[nodiscard]] std::vector<double> own_mean(std::size_t r) const {
    double rows = 0;
    std::vector<std::vector<double>> terms;
    for (std::size_t m = 0; m < values_[r].size(); ++m) {
      const auto count = static_cast<double>(counts_[r][m]);
      rows += count;
      terms.push_back(term(r, m));
      apply({{false, constant(count)}}, accumulate_, terms.back());
    }
    std::vector<double> sum = sum_of_items(ordering_, accumulate_, std::move(terms));
    if (rows > 0) apply({{true, constant(rows)}}, accumulate_, sum);
    return sum;
  }

  [[nodiscard]] std::vector<double> running_mean(std::size_t r) const {
    double rows = 0;
    std::vector<double> mean(size());
    for (std::size_t m = 0; m < values_[r].size(); ++m) {
      const auto count = static_cast<double>(counts_[r][m]);
      if (count == 0) continue;
      rows += count;
      const double share = rounded(count / rows);
      move_mean(accumulate_, mean, term(r, m), share);
    }
    return mean;
  }

  void add_up_ranks() {
    std::vector<std::vector<double>> sums;
    std::size_t at = 0;
    for (const auto& rank : values_) {
      std::vector<std::vector<double>> own;
      for (std::size_t m = 0; m < rank.size(); ++m) own.push_back(std::move(items_.values[at++]));
      sums.push_back(sum_of_items(ordering_, accumulate_, std::move(own)));
    }
    items_.values = std::move(sums);
  }

  [[nodiscard]] double factor() const { return rounded(std::sqrt(terms_)); }

  [[nodiscard]] Operations before(double count) const {
    switch (how_.scaling) {
      case LeafScaling::divide_before:
        return {{true, constant(terms_)}};
      case LeafScaling::multiply_before:
        return {{false, rounded(1 / terms_)}};
      case LeafScaling::divide_twice:
        return {{true, factor()}};
      case LeafScaling::weight_divide:
      case LeafScaling::weight_multiply:
        return {{false, constant(count)}};
      case LeafScaling::share:
        return {{false, rounded(count / rows_)}};
      case LeafScaling::weighted_reciprocal:
        return {{false, rounded(constant(count) * rounded(1 / rows_))}};
      case LeafScaling::divide_weight:
        return {{true, constant(rows_)}, {false, constant(count)}};
      case LeafScaling::divide_after:
      case LeafScaling::multiply_after:
      case LeafScaling::sums_over_count:
      case LeafScaling::mean_over_ranks:
      case LeafScaling::sum:
        break;
    }
    return {};
  }

  [[nodiscard]] Operations after() const {
    switch (how_.scaling) {
      case LeafScaling::divide_after:
      case LeafScaling::mean_over_ranks:
        return {{true, constant(terms_)}};
      case LeafScaling::multiply_after:
        return {{false, rounded(1 / terms_)}};
      case LeafScaling::divide_twice:
        return {{true, rounded(terms_ / factor())}};
      case LeafScaling::weight_divide:
      case LeafScaling::sums_over_count:
        return {{true, constant(rows_)}};
      case LeafScaling::weight_multiply:
        return {{false, rounded(1 / rows_)}};
      case LeafScaling::divide_before:
      case LeafScaling::multiply_before:
      case LeafScaling::share:
      case LeafScaling::weighted_reciprocal:
      case LeafScaling::divide_weight:
      case LeafScaling::sum:
        break;
    }
    return {};
  }

  const LeafReduction& how_;
  const LeafValues& values_;
  const std::vector<std::vector<std::int64_t>>& counts_;
  LeafOrdering ordering_;
  Dtype given_;
  Dtype accumulate_;
  Dtype output_;
  LeafItems items_;
  double rows_ = 0;   // N
  double terms_ = 0;  // T
};

}  // namespace

std::vector<double> reduce(const LeafReduction& reduction, const LeafValues& values,
                           const std::vector<std::vector<std::int64_t>>& counts, Dtype dtype) {
  std::vector<double> reduced;
  const std::size_t size = values.front().front().size();
  reduced.reserve(size);
  for (std::size_t first = 0; first < size; first += kBlock) {
    const std::vector<double> block = Work(reduction, values, counts, dtype, first).result();
    reduced.insert(reduced.end(), block.begin(), block.end());
  }
  return reduced;
}

}  // namespace shardproof
