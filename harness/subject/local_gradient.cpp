#include "shardproof/subject/local_gradient.h"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace shardproof {
namespace {

/// Arrays to compute in, kept by each thread. Every one begins on a boundary of a cache line:
/// Eigen's sums may round in another way at another offset (NUMERICS amendment 15).
template <class T>
class Scratch {
 public:
  /// Room for arrays of `padded` sizes that add up to `count`; what was taken before is lost.
  void reserve(std::size_t count) {
    used_ = 0;
    if (lines_.size() < count / kInLine) lines_.resize(count / kInLine);
  }
  T* take(std::size_t count) {
    T* const start = lines_[used_].data();
    used_ += padded(count) / kInLine;
    return start;
  }
  /// Gives back what only a large case needed.
  void trim() {
    if (lines_.size() > kMostKeptLines) lines_ = {};
  }
  static std::size_t padded(std::size_t count) {
    // One more, so that an array of no elements has an address too.
    return (count / kInLine + 1) * kInLine;
  }

 private:
  static constexpr std::size_t kLineBytes = 64;
  static constexpr std::size_t kInLine = kLineBytes / sizeof(T);
  static constexpr std::size_t kMostKeptLines = 4096;
  struct alignas(kLineBytes) Line : std::array<T, kInLine> {};
  std::vector<Line> lines_;
  std::size_t used_ = 0;
};

template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using MatrixMap = Eigen::Map<Matrix<T>, Eigen::Aligned64>;
template <class T>
using RowMap = Eigen::Map<Eigen::Matrix<T, 1, Eigen::Dynamic>, Eigen::Aligned64>;

/// Divides finished sums by `denominator * outputs / factor`, factor 1 or 2.
///
/// Rounds once where that divisor is a value of T: always in f64, in f32 up to 2^24. Beyond, it
/// divides by `denominator` and then by `outputs / factor`, both values of T up to the largest
/// sizes that a case may have, and rounds twice. No constant is ever rounded. So these are at most
/// kLocalScaleRoundings roundings, the `ms` of NUMERICS 1.7. The second divisor is 1 or more there,
/// because with one output the first case holds: it never enlarges what the first lost by
/// underflow.
template <class T>
class Scale {
 public:
  Scale(double denominator, int outputs, double factor) {
    const double both = denominator * outputs / factor;  // exact: below 2^53
    if (static_cast<double>(static_cast<T>(both)) == both) {
      first_ = static_cast<T>(both);
    } else {
      first_ = static_cast<T>(denominator);
      second_ = static_cast<T>(outputs / factor);
    }
  }
  [[nodiscard]] double operator()(T sum) const {
    const T once = sum / first_;
    return static_cast<double>(second_ == T{1} ? once : once / second_);
  }

 private:
  T first_{1};
  T second_{1};
};

/// The valid rows of `values`, [rows, columns] row by row, from column `first` on `width` columns.
template <class T>
void copy_valid(const std::vector<double>& values, const std::vector<std::uint8_t>& mask,
                std::size_t columns, std::size_t first, std::size_t width, T* to) {
  for (std::size_t row = 0; row < mask.size(); ++row) {
    if (mask[row] == 0) continue;
    const double* const from = values.data() + row * columns + first;
    for (std::size_t c = 0; c < width; ++c) *to++ = static_cast<T>(from[c]);
  }
}

/// Arrays for one layer, as large as the widest needs.
template <class T>
struct LayerArrays {
  T* kernel;     ///< [features, outputs], then its gradient
  T* bias;       ///< [outputs], then its gradient
  T* residuals;  ///< [rows, outputs]
  T* targets;    ///< [rows, outputs]
};

template <class T>
void load_layer(std::span<const double> parameters, std::size_t size_of_kernel,
                const LayerArrays<T>& to) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    T* const array = i < size_of_kernel ? to.kernel + i : to.bias + (i - size_of_kernel);
    *array = static_cast<T>(parameters[i]);
  }
}

/// Writes a layer's leaves into `gradient`. \return the sum of its squared residuals
///
/// Roundings: residual x W + b - y, features + 1 additions over rounded products; kernel, a sum
/// over the rows of rounded products; bias, a sum over the rows; each sum then scaled. The order of
/// every sum depends on the sizes alone.
template <class T>
T compute_layer(const MatrixMap<T>& x, const LayerArrays<T>& at, std::size_t size_of_kernel,
                bool has_bias, Eigen::Index outputs, const Scale<T>& scale,
                std::span<double> gradient) {
  MatrixMap<T> kernel(at.kernel, x.cols(), outputs);
  MatrixMap<T> residuals(at.residuals, x.rows(), outputs);
  residuals.noalias() = x * kernel;
  if (has_bias) residuals.rowwise() += RowMap<T>(at.bias, outputs);
  residuals -= MatrixMap<T>(at.targets, x.rows(), outputs);

  kernel.noalias() = x.transpose() * residuals;
  for (std::size_t i = 0; i < size_of_kernel; ++i) gradient[i] = scale(at.kernel[i]);
  if (has_bias) {
    RowMap<T>(at.bias, outputs) = residuals.colwise().sum();
    for (std::size_t k = size_of_kernel; k < gradient.size(); ++k) {
      gradient[k] = scale(at.bias[k - size_of_kernel]);
    }
  }
  return residuals.squaredNorm();
}

std::size_t widest_layer(const Model& model) {
  int widest = 0;
  for (const Layer& layer : model.layers) widest = std::max(widest, layer.outputs);
  return static_cast<std::size_t>(widest);
}

template <class T>
LocalGradient compute(const Model& model, const SharedShape& shape,
                      std::span<const double> parameters, const MicroBatch& rows,
                      ValidCount valid_rows, double denominator) {
  LocalGradient result{.gradient = Tree(shape), .loss = 0};
  const auto valid = static_cast<std::size_t>(valid_rows.value);
  if (valid == 0) return result;
  const auto features = static_cast<std::size_t>(model.features);
  const auto all_outputs = static_cast<std::size_t>(model.outputs());
  const std::size_t widest = widest_layer(model);

  using S = Scratch<T>;
  thread_local S scratch;
  scratch.reserve(S::padded(valid * features) + S::padded(features * widest) + S::padded(widest) +
                  2 * S::padded(valid * widest));
  T* const valid_x = scratch.take(valid * features);
  const LayerArrays<T> at{.kernel = scratch.take(features * widest),
                          .bias = scratch.take(widest),
                          .residuals = scratch.take(valid * widest),
                          .targets = scratch.take(valid * widest)};
  copy_valid(rows.x, rows.mask, features, 0, features, valid_x);
  const MatrixMap<T> x(valid_x, static_cast<Eigen::Index>(valid),
                       static_cast<Eigen::Index>(features));

  const Scale<T> scale(denominator, model.outputs(), 2);
  T loss{0};
  std::size_t offset = 0;
  std::size_t first_output = 0;
  for (std::size_t l = 0; l < model.layers.size(); ++l) {
    const Layer& layer = model.layers[l];
    const auto outputs = static_cast<std::size_t>(layer.outputs);
    const std::size_t size_of_kernel = features * outputs;
    const std::size_t size = size_of_kernel + (layer.bias ? outputs : 0);
    if (!rows.is_absent(static_cast<int>(l))) {
      load_layer(parameters.subspan(offset, size), size_of_kernel, at);
      copy_valid(rows.y, rows.mask, all_outputs, first_output, outputs, at.targets);
      loss += compute_layer(x, at, size_of_kernel, layer.bias, static_cast<Eigen::Index>(outputs),
                            scale, result.gradient.values().subspan(offset, size));
    }
    offset += size;
    first_output += outputs;
  }
  result.loss = Scale<T>(denominator, model.outputs(), 1)(loss);
  scratch.trim();
  return result;
}

LocalGradient compute(const Model& model, const SharedShape& shape,
                      std::span<const double> parameters, const MicroBatch& rows, ValidCount valid,
                      LocalDtypes dtypes, double denominator) {
  LocalGradient local = dtypes.compute == Dtype::f32
                            ? compute<float>(model, shape, parameters, rows, valid, denominator)
                            : compute<double>(model, shape, parameters, rows, valid, denominator);
  if (dtypes.store == dtypes.compute) return local;
  for (double& value : local.gradient.values()) value = round_to(dtypes.store, value);
  local.loss = round_to(dtypes.store, local.loss);
  return local;
}

}  // namespace

LocalDtypes local_dtypes(Dtype of_case, Dtype gradient) {
  const bool wide = of_case == Dtype::f64 || gradient == Dtype::f64;
  return {.compute = wide ? Dtype::f64 : Dtype::f32, .store = gradient};
}

LocalGradient local_gradient(const Model& model, const SharedShape& shape,
                             std::span<const double> parameters, const MicroBatch& rows,
                             LocalDtypes dtypes, double denominator) {
  return compute(model, shape, parameters, rows, rows.valid(), dtypes, denominator);
}

Contribution local_contribution(const Case& problem, const SharedShape& shape, int step, int shard,
                                int micro_batch, InputForm form, std::optional<Dtype> gradient) {
  const auto s = static_cast<std::size_t>(step);
  const auto r = static_cast<std::size_t>(shard);
  const auto b = static_cast<std::size_t>(micro_batch);
  const Step& all = problem.steps[s];
  const MicroBatch& rows = all.shards[r].micro_batches[b];
  const ValidCount valid = rows.valid();

  Contribution contribution{.gradient = {},
                            .valid = valid,
                            .rows = rows.rows(),
                            .step = step,
                            .micro_batch = micro_batch,
                            .last = micro_batch + 1 == all.micro_batches(),
                            .absent = rows.absent};
  if (problem.given != nullptr) {
    const GivenContributions::Item& item = problem.given->items[s][r][b];
    contribution.gradient = Tree(shape, item.gradient);
    contribution.loss = item.loss;
    return contribution;
  }
  double denominator = 1;
  if (form == InputForm::local_mean) denominator = static_cast<double>(valid.value);
  if (form == InputForm::global_mean) denominator = static_cast<double>(all.valid().value);
  LocalGradient local =
      compute(problem.model, shape, problem.model.parameters, rows, valid,
              local_dtypes(problem.dtype, gradient.value_or(problem.dtype)), denominator);
  contribution.gradient = std::move(local.gradient);
  contribution.loss = local.loss;
  return contribution;
}

}  // namespace shardproof
