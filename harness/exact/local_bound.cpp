#include <cmath>

#include "exact/magnitude.h"
#include "exact/rounding.h"
#include "shardproof/exact/bound.h"

namespace shardproof {
namespace {

/// The constants of NUMERICS 1.7: of products and sums, and of values that are stored in between.
struct Stored {
  RoundingConstants computed;
  std::optional<RoundingConstants> store;
  int residual_stores;
  int result_stores;

  explicit Stored(const LocalArithmetic& a)
      : computed(rounding_constants(a.dtype, false)),
        residual_stores(a.store ? a.residual_stores : 0),
        result_stores(a.store ? a.result_stores : 0) {
    if (a.store) store = rounding_constants(*a.store, false);
  }
  /// (1 + k) (1 + u)^stores - 1
  [[nodiscard]] Magnitude grown(Magnitude k, int stores) const {
    if (stores == 0) return k;
    const Magnitude stored = compound(store->u, stores);
    return k + stored + k * stored;
  }
  [[nodiscard]] Magnitude underflow(int stores) const {
    return stores == 0 ? Magnitude{} : Magnitude{static_cast<double>(stores)} * store->underflow;
  }
};

/// What the entries of one residual column need: |z| at most, and how far a computed z may be off.
struct Residual {
  Magnitude size;   // |z_ik|
  Magnitude error;  // e_ik
};

/// One micro-batch at its parameters, with the constants of NUMERICS 1.7.
class Rows {
 public:
  Rows(const Model& model, std::span<const double> parameters, const MicroBatch& rows,
       const Stored& c)
      : features_(static_cast<std::size_t>(model.features)),
        outputs_(static_cast<std::size_t>(model.outputs())),
        parameters_(parameters),
        rows_(rows) {
    const Magnitude sums{static_cast<double>(features_ + 1)};
    const Magnitude u = c.computed.u;
    k1_ = c.grown(u + sums * u + u * sums * u, c.residual_stores);
    underflow_ = (sums * c.computed.underflow + c.underflow(c.residual_stores)) * (kOne + k1_);
  }

  [[nodiscard]] double x(std::size_t row, std::size_t d) const {
    return rows_.x[row * features_ + d];
  }

  /// \param kernel  offset of the layer's kernel in the flat tree; `columns` its outputs
  /// \param first   column of y at which the layer begins
  [[nodiscard]] Residual residual(std::size_t row, const LeafShape& kernel, const LeafShape* bias,
                                  std::size_t first, std::size_t k) {
    const auto columns = static_cast<std::size_t>(kernel.columns);
    const double y = rows_.y[row * outputs_ + first + k];
    double z = -y;
    Magnitude all{std::abs(y)};
    if (bias != nullptr) {
      const double b = parameters_[bias->offset + k];
      z += b;
      all += Magnitude{std::abs(b)};
    }
    for (std::size_t d = 0; d < features_; ++d) {
      const double w = parameters_[kernel.offset + d * columns + k];
      z += x(row, d) * w;
      all += Magnitude{std::abs(x(row, d))} * Magnitude{std::abs(w)};
    }
    // z above is itself rounded in binary64: features + 2 additions and products of relative error
    // 2^-53.
    const auto operations = static_cast<double>(2 * features_ + 2);
    const Magnitude off = Magnitude{operations * 0x1p-53} * all + Magnitude{operations * 0x1p-1074};
    largest_ = std::max(largest_, all);
    return {Magnitude{std::abs(z)} + off, k1_ * all + underflow_};
  }

  /// The largest sum of absolute values that stood in a residual.
  [[nodiscard]] Magnitude largest() const { return largest_; }

 private:
  std::size_t features_;
  std::size_t outputs_;
  std::span<const double> parameters_;
  const MicroBatch& rows_;
  Magnitude k1_;
  Magnitude underflow_;
  Magnitude largest_;
};

/// Sums over rows per element of the flat tree, and for the loss.
struct Sums {
  std::vector<Magnitude> product;  // sum_i |x_id| |z_ik|
  std::vector<Magnitude> error;    // sum_i |x_id| e_ik
  std::vector<Magnitude> inputs;   // sum_i |x_id|
  Magnitude square;                // sum (|z| + e)^2
  Magnitude square_error;          // sum 2 |z| e + e^2
  Magnitude largest;
  std::int64_t rows = 0;
};

void add_layer(Sums& sums, Rows& rows, std::size_t row, int features, const LeafShape& kernel,
               const LeafShape* bias, std::size_t first) {
  const auto columns = static_cast<std::size_t>(kernel.columns);
  for (std::size_t k = 0; k < columns; ++k) {
    const Residual z = rows.residual(row, kernel, bias, first, k);
    for (std::size_t d = 0; d < static_cast<std::size_t>(features); ++d) {
      const Magnitude x{std::abs(rows.x(row, d))};
      const std::size_t e = kernel.offset + d * columns + k;
      sums.product[e] += x * z.size;
      sums.error[e] += x * z.error;
      sums.inputs[e] += x;
    }
    if (bias != nullptr) {
      const std::size_t e = bias->offset + k;
      sums.product[e] += z.size;
      sums.error[e] += z.error;
      sums.inputs[e] += kOne;
    }
    const Magnitude reached = z.size + z.error;
    sums.square += reached * reached;
    sums.square_error += Magnitude{2.0} * z.size * z.error + z.error * z.error;
  }
}

Sums sums_over(const Model& model, const TreeShape& shape, std::span<const EvaluatedRows> groups,
               const Stored& c) {
  Sums sums;
  sums.product.resize(shape.size);
  sums.error.resize(shape.size);
  sums.inputs.resize(shape.size);
  for (const EvaluatedRows& group : groups) {
    Rows rows(model, group.parameters, *group.rows, c);
    for (std::size_t i = 0; i < group.rows->mask.size(); ++i) {
      if (group.rows->mask[i] == 0) continue;
      ++sums.rows;
      std::size_t first = 0;
      for (std::size_t leaf = 0; leaf < shape.leaves.size(); ++leaf) {
        const LeafShape& kernel = shape.leaves[leaf];
        const bool biased = leaf + 1 < shape.leaves.size() && shape.leaves[leaf + 1].is_bias;
        const LeafShape* bias = biased ? &shape.leaves[leaf + 1] : nullptr;
        if (!group.rows->is_absent(kernel.layer)) {
          add_layer(sums, rows, i, model.features, kernel, bias, first);
        }
        first += static_cast<std::size_t>(kernel.columns);
        if (biased) ++leaf;
      }
    }
    sums.largest = std::max(sums.largest, rows.largest());
  }
  return sums;
}

}  // namespace

LocalBound local_bound(const Model& model, std::span<const EvaluatedRows> groups,
                       const LocalArithmetic& a) {
  const SharedShape shape = tree_shape(model);
  const Stored stored(a);
  const RoundingConstants& c = stored.computed;
  const Sums sums = sums_over(model, *shape, groups, stored);
  const auto n = static_cast<double>(sums.rows);
  const double entries = n * model.outputs();
  const Magnitude scaling = kOne + compound(c.u, 1 + a.scale_roundings);
  // (1+v)^(1+ms) (1 + additions u) - 1, and the roundings of what is stored
  const auto compounded = [&](double additions) {
    return stored.grown(compound(c.u, 1 + a.scale_roundings) + scaling * Magnitude{additions} * c.u,
                        stored.result_stores);
  };
  const Magnitude k2 = compounded(n > 1 ? n - 1 : 0);
  const Magnitude k3 = compounded(entries > 1 ? entries - 1 : 0);
  const Magnitude scale{a.scale};
  const Magnitude loss_scale{a.loss_scale};
  const Magnitude roundings{static_cast<double>(a.scale_roundings + 1)};
  // What underflows where it is stored, before or after it is scaled.
  const auto lost_stored = [&](Magnitude factor, Magnitude residuals, Magnitude results) {
    return std::max(kOne, factor) * (stored.underflow(stored.residual_stores) * residuals +
                                     stored.underflow(stored.result_stores) * results);
  };

  LocalBound bound;
  bound.gradient.resize(shape->size);
  Magnitude largest = std::max(sums.largest, sums.square);
  for (std::size_t e = 0; e < shape->size; ++e) {
    const Magnitude spread = std::max(kOne, sums.inputs[e]);
    const Magnitude lost =
        Magnitude{n} * std::max(kOne, scale) + Magnitude{2.0} * roundings * spread;
    bound.gradient[e] = (scale * (k2 * sums.product[e] + (kOne + k2) * sums.error[e]) +
                         (kOne + k2) * (c.underflow * lost + lost_stored(scale, spread, kOne)))
                            .value();
    largest = std::max(largest, sums.product[e] + sums.error[e]);
  }
  const Magnitude of_entries = kOne + Magnitude{entries};
  bound.loss = (loss_scale * (k3 * sums.square + sums.square_error) +
                (kOne + k3) * (c.underflow * (kOne + roundings * Magnitude{entries}) +
                               lost_stored(loss_scale, Magnitude{}, of_entries)))
                   .value();
  const double factor = 4 * std::max({1.0, a.scale, a.loss_scale});
  const double most = std::min(format(a.dtype).largest, format(a.store.value_or(a.dtype)).largest);
  bound.may_overflow = !((Magnitude{factor} * largest).value() <= most);
  if (sums.rows == 0) {  // zeros, by definition and in bits
    std::fill(bound.gradient.begin(), bound.gradient.end(), 0.0);
    bound.loss = 0;
  }
  return bound;
}

}  // namespace shardproof
