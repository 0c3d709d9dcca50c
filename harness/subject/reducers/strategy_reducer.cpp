#include <algorithm>

#include "subject/reducers/rank_sum.h"
#include "subject/reducers/rounded.h"

namespace shardproof {
namespace {

bool from_slots(Topology topology) {
  return topology == Topology::sequential || topology == Topology::own_rank_first ||
         topology == Topology::tree;
}

/// One rank of a strategy. `data_.values` gathers the rank's own terms of the step.
class StrategyReducer final : public Reducer {
 public:
  StrategyReducer(const Strategy& strategy, const ReducerSetup& setup)
      : strategy_(strategy),
        shape_(setup.shape),
        output_(setup.dtype),
        accumulate_(strategy.accumulate.value_or(setup.dtype)),
        world_(setup.world_size.value) {
    data_.values.resize(kGradientAt + shape_->size);
    if (!from_slots(strategy.topology)) data_.scratch.resize(data_.values.size());
  }

  std::optional<Reduced> contribute(Communicator& ranks, Contribution& contribution) override {
    if (contribution.micro_batch == 0) start_step();
    accumulate(contribution);
    if (!contribution.last) return std::nullopt;
    scale_own_terms();
    if (strategy_.wire) send_to_wire();
    sum_over_ranks(strategy_, {ranks, accumulate_, data_});
    if (data_.values[kCountAt] == 0) {
      throw Decline("no valid row in step " + std::to_string(contribution.step));
    }
    return result();
  }

 private:
  [[nodiscard]] bool averages_own() const {
    return strategy_.scaling == Scaling::mean_of_means ||
           strategy_.scaling == Scaling::sum_of_means;
  }

  void start_step() {
    std::ranges::fill(data_.values, 0.0);
    micro_batches_ = 0;
  }

  void accumulate(const Contribution& c) {
    const auto count = static_cast<double>(c.valid.value);
    data_.values[kCountAt] += count;
    ++micro_batches_;
    const bool weighted = strategy_.scaling == Scaling::weight_by_count || averages_own();
    if (count == 0 && weighted) return;
    if (strategy_.micro_batches == Accumulation::running_mean) {
      const double share = round_to(accumulate_, count / data_.values[kCountAt]);
      return add_terms(c, [share, dtype = accumulate_](double mean, double g) {
        const double away = round_to(dtype, round_to(dtype, g) - mean);
        return mean + round_to(dtype, away * share);
      });
    }
    if (weighted) {
      return add_terms(c, [count, dtype = accumulate_](double sum, double g) {
        return sum + round_to(dtype, round_to(dtype, g) * count);
      });
    }
    add_terms(c, [dtype = accumulate_](double sum, double g) { return sum + round_to(dtype, g); });
  }

  /// Puts next(value so far, new value), rounded once, for loss and gradient.
  template <class Next>
  void add_terms(const Contribution& c, Next next) {
    double& loss = data_.values[kLossAt];
    loss = round_to(accumulate_, next(loss, c.loss));
    double* value = data_.values.data() + kGradientAt;
    for (double g : c.gradient.values()) {
      *value = round_to(accumulate_, next(*value, g));
      ++value;
    }
  }

  /// What happens to the rank's own sum before the exchange.
  void scale_own_terms() {
    const double count = data_.values[kCountAt];
    if (strategy_.micro_batches == Accumulation::running_mean) {
      multiply_rounded(accumulate_, data_.values, count);
    } else if (strategy_.scaling == Scaling::divide_before) {
      divide_rounded(accumulate_, data_.values, static_cast<double>(world_ * micro_batches_));
    } else if (averages_own() && count > 0) {
      divide_rounded(accumulate_, data_.values, count);
    }
  }

  void send_to_wire() {
    for (double& value : std::span(data_.values).subspan(kLossAt)) {
      value = round_to(accumulate_, round_to(*strategy_.wire, value));
    }
  }

  [[nodiscard]] double divisor() const {
    switch (strategy_.scaling) {
      case Scaling::divide_after:
        return static_cast<double>(world_ * micro_batches_);
      case Scaling::weight_by_count:
      case Scaling::sum_over_count:
        return data_.values[kCountAt];
      case Scaling::mean_of_means:
        return static_cast<double>(world_);
      case Scaling::divide_before:
      case Scaling::sum_of_means:
      case Scaling::none:
        break;
    }
    return 1;
  }

  [[nodiscard]] Reduced result() const {
    const auto finish = [this, divisor = divisor()](double sum) {
      return round_to(output_, round_to(accumulate_, sum / divisor));
    };
    Reduced reduced{.gradient = Tree(shape_),
                    .loss = finish(data_.values[kLossAt]),
                    .count = data_.values[kCountAt],
                    .norm = std::nullopt};
    std::ranges::transform(std::span(data_.values).subspan(kGradientAt),
                           reduced.gradient.values().begin(), finish);
    reduced.norm = euclidean_norm(reduced.gradient.values(), output_);
    return reduced;
  }

  Strategy strategy_;
  SharedShape shape_;
  Dtype output_;
  Dtype accumulate_;
  int world_;
  int micro_batches_ = 0;
  SumBuffers data_;
};

}  // namespace

ReducerFactory reducers_of(const Strategy& strategy) {
  return [strategy](const ReducerSetup& setup) {
    return std::make_unique<StrategyReducer>(strategy, setup);
  };
}

}  // namespace shardproof
