#include "exact/exact_gradient_plan.h"
#include "exact/fixed.h"

namespace shardproof::exact {
namespace {

/// Walks over the valid rows with integers of X limbs for x and W, and Z limbs for residuals.
template <int X, int Z>
class Residuals {
 public:
  Residuals(const Model& model, const Places& places, const Plan& plan)
      : places_(places),
        plan_(plan),
        features_(static_cast<std::size_t>(model.features)),
        kernel_(places.elements),
        bias_(places.columns),
        x_(features_),
        residual_(places.columns) {}

  /// Calls visit(layer, weight, x, residuals) for each row and layer that is present.
  template <typename Visit>
  void for_each(std::span<const WeightedRows> groups, Visit visit) {
    for (const WeightedRows& group : groups) {
      if (group.weight == 0) continue;
      take_parameters(group.parameters);
      const MicroBatch& rows = *group.rows;
      for (std::size_t row = 0; row < rows.mask.size(); ++row) {
        if (rows.mask[row] == 0) continue;
        take_x(rows.x.data() + row * features_);
        const double* const y = rows.y.data() + row * places_.columns;
        for (std::size_t l = 0; l < places_.layers.size(); ++l) {
          if (rows.is_absent(static_cast<int>(l))) continue;
          const LayerPlace& layer = places_.layers[l];
          evaluate(layer, y + layer.column);
          visit(layer, group.weight, x_.data(), residual_.data());
        }
      }
    }
  }

 private:
  void take_parameters(std::span<const double> parameters) {
    if (parameters.data() == parameters_) return;
    parameters_ = parameters.data();
    for (const LayerPlace& layer : places_.layers) {
      const std::size_t end = layer.kernel + features_ * layer.outputs;
      for (std::size_t i = layer.kernel; plan_.products && i < end; ++i) {
        kernel_[i] = aligned<X>(parameters[i], plan_.w_exponent);
      }
      for (std::size_t k = 0; layer.has_bias && k < layer.outputs; ++k) {
        bias_[layer.column + k] = aligned<Z>(parameters[layer.bias + k], plan_.z_exponent);
      }
    }
  }

  void take_x(const double* x) {
    for (std::size_t d = 0; d < features_; ++d) x_[d] = aligned<X>(x[d], plan_.x_exponent);
  }

  void evaluate(const LayerPlace& layer, const double* y) {
    Fixed<Z>* const residual = residual_.data();
    for (std::size_t k = 0; k < layer.outputs; ++k) {
      residual[k] = aligned<Z>(-y[k], plan_.z_exponent);
      add(residual[k], bias_[layer.column + k]);
    }
    const Fixed<X>* kernel = kernel_.data() + layer.kernel;
    for (std::size_t d = 0; d < features_; ++d) {
      const Fixed<X> x = x_[d];
      for (std::size_t k = 0; k < layer.outputs; ++k) add_product(residual[k], x, *kernel++);
    }
  }

  const Places& places_;
  const Plan& plan_;
  std::size_t features_;
  const double* parameters_ = nullptr;  // those that kernel_ and bias_ hold
  std::vector<Fixed<X>> kernel_;        // at their places in the flat tree
  std::vector<Fixed<Z>> bias_;          // by column, zeros where a layer has none
  std::vector<Fixed<X>> x_;             // of the row at hand
  std::vector<Fixed<Z>> residual_;      // of the row and layer at hand
};

template <int X, int Z, int G>
std::vector<Dyadic> gradient(const Model& model, const Places& places, const Plan& plan,
                             std::span<const WeightedRows> groups) {
  std::vector<Fixed<G>> sums(places.elements);
  const auto features = static_cast<std::size_t>(model.features);
  Residuals<X, Z>(model, places, plan)
      .for_each(groups, [&](const LayerPlace& layer, std::uint64_t weight, const Fixed<X>* x,
                            Fixed<Z>* residual) {
        const std::size_t outputs = layer.outputs;
        for (std::size_t k = 0; weight != 1 && k < outputs; ++k) scale(residual[k], weight);
        Fixed<G>* sum = sums.data() + layer.kernel;
        for (std::size_t d = 0; d < features; ++d) {
          const Fixed<X> factor = x[d];
          for (std::size_t k = 0; k < outputs; ++k) add_product(*sum++, factor, residual[k]);
        }
        for (std::size_t k = 0; layer.has_bias && k < outputs; ++k) {
          add(sums[layer.bias + k], extended<G>(residual[k]));
        }
      });
  std::vector<Dyadic> result;
  result.reserve(places.elements);
  for (const LayerPlace& layer : places.layers) {
    for (std::size_t i = layer.kernel; i < layer.bias; ++i) {
      result.push_back(to_dyadic(sums[i], plan.x_exponent + plan.z_exponent));
    }
    for (std::size_t k = 0; layer.has_bias && k < layer.outputs; ++k) {
      result.push_back(to_dyadic(sums[layer.bias + k], plan.z_exponent));
    }
  }
  return result;
}

template <int X, int Z, int L>
Dyadic loss(const Model& model, const Places& places, const Plan& plan,
            std::span<const WeightedRows> groups) {
  Fixed<L> sum;
  Residuals<X, Z>(model, places, plan)
      .for_each(groups, [&](const LayerPlace& layer, std::uint64_t weight, const Fixed<X>*,
                            const Fixed<Z>* residual) {
        for (std::size_t k = 0; k < layer.outputs; ++k) {
          Fixed<Z> weighted = residual[k];
          scale(weighted, weight);
          add_product(sum, weighted, residual[k]);
        }
      });
  return to_dyadic(sum, 2 * plan.z_exponent);
}

/// Whether |integer| < 2^bits stands in `limbs` limbs with its sign.
constexpr bool fits(int bits, int limbs) { return bits < 64 * limbs; }

}  // namespace

std::optional<std::vector<Dyadic>> aligned_gradient(const Model& model, const Places& places,
                                                    std::span<const WeightedRows> groups) {
  const std::optional<Plan> found = plan(model, places, groups);
  if (!found) return std::vector<Dyadic>(places.elements);
  const auto admits = [&](int operand, int residual, int sum) {
    return fits(found->operand_bits, operand) && fits(found->residual_bits, residual) &&
           fits(found->gradient_bits, sum);
  };
  if (admits(1, 1, 2)) return gradient<1, 1, 2>(model, places, *found, groups);
  if (admits(1, 2, 2)) return gradient<1, 2, 2>(model, places, *found, groups);
  if (admits(1, 2, 3)) return gradient<1, 2, 3>(model, places, *found, groups);
  if (admits(2, 3, 4)) return gradient<2, 3, 4>(model, places, *found, groups);
  return std::nullopt;
}

std::optional<Dyadic> aligned_loss(const Model& model, const Places& places,
                                   std::span<const WeightedRows> groups) {
  const std::optional<Plan> found = plan(model, places, groups);
  if (!found) return Dyadic();
  const auto admits = [&](int operand, int residual, int sum) {
    return fits(found->operand_bits, operand) && fits(found->residual_bits, residual) &&
           fits(found->loss_bits, sum);
  };
  if (admits(1, 1, 2)) return loss<1, 1, 2>(model, places, *found, groups);
  if (admits(1, 2, 4)) return loss<1, 2, 4>(model, places, *found, groups);
  if (admits(2, 3, 6)) return loss<2, 3, 6>(model, places, *found, groups);
  return std::nullopt;
}

}  // namespace shardproof::exact
