#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "shardproof/subject/per_rank.h"

namespace shardproof {

/// The C++ types of `Dtype`.
template <class T>
concept NativeScalar = std::same_as<T, float> || std::same_as<T, double>;

template <NativeScalar T>
inline constexpr Dtype kDtypeOf = std::same_as<T, float> ? Dtype::f32 : Dtype::f64;

/// A contribution in the type that user code computes in.
template <NativeScalar T>
struct TypedContribution {
  std::span<T> gradient;  ///< flat tree, the rank's own copy
  T loss{};
  ValidCount valid;
  int rows = 0;  ///< padding included
  int step = 0;
  int micro_batch = 0;
  bool last = false;
  std::span<const std::uint8_t> absent;  ///< [layers]; empty: all used
};

/// The answer to the last contribution of a step. Only the gradient is required.
template <NativeScalar T>
struct TypedResult {
  std::vector<T> gradient;  ///< flat tree
  std::optional<T> loss;
  std::optional<double> count;
  std::optional<T> norm;
};

/// Takes a step's gradient, flat, and reduces it in place; `mine` is the rank's valid count.
template <class F, class T>
concept InPlaceReducer = std::invocable<F&, Communicator&, std::span<T>, ValidCount>;

/// Takes one micro-batch and answers the last one of a step.
template <class F, class T>
concept TypedReducer = requires(F& f, Communicator& ranks, TypedContribution<T>& contribution) {
  { f(ranks, contribution) } -> std::convertible_to<std::optional<TypedResult<T>>>;
};

namespace typed {

/// How the micro-batches of a rank become one gradient for an in-place reducer.
enum class Joining {
  weighted_mean,  ///< of means: sum_k RN(n_k g_k) / sum_k n_k, micro-batches without rows left out
  sum,            ///< of sums, and where the target is the sum of what is handed in
};
Joining joining(const Claim& claim);

/// Roundings of a term in a weighted mean of micro-batches: the product and the division.
inline constexpr int kJoiningRoundings = 2;

/// The claim of a subject in the type of `dtype`. \throws InputError  when it claims another dtype
Claim claim_for(Claim claim, Dtype dtype);
/// The same where micro-batches are joined in that type.
/// \throws InputError  when a wider accumulator is claimed, which the joining does not keep
Claim claim_for_joined(Claim claim, Dtype dtype);

/// Adapts an in-place reducer.
template <NativeScalar T, InPlaceReducer<T> F>
class JoinedReducer final : public Reducer {
 public:
  JoinedReducer(F reduce, const ReducerSetup& setup)
      : reduce_(std::move(reduce)),
        weighted_(joining(*setup.claim) == Joining::weighted_mean),
        sums_(setup.shape->size) {}

  std::optional<Reduced> contribute(Communicator& ranks, Contribution& contribution) override {
    if (contribution.micro_batch == 0) {
      sums_.assign(sums_.size(), T{0});
      valid_ = 0;
    }
    add(contribution);
    if (!contribution.last) return std::nullopt;
    const bool divide = weighted_ && contribution.micro_batch > 0 && valid_ > 0;
    if (divide) {
      for (T& value : sums_) value /= static_cast<T>(valid_);
    }
    reduce_(ranks, std::span<T>(sums_), ValidCount{valid_});
    Reduced reduced;
    reduced.gradient = Tree(contribution.gradient.shared_shape(), {sums_.begin(), sums_.end()});
    return reduced;
  }

 private:
  void add(const Contribution& c) {
    valid_ += c.valid.value;
    const bool only = c.micro_batch == 0 && c.last;  // handed on as it is
    if (c.valid.value == 0 && weighted_) return;
    const T weight = weighted_ && !only ? static_cast<T>(c.valid.value) : T{1};
    const std::span<const double> values = c.gradient.values();
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      const T term = static_cast<T>(values[i]) * weight;
      sums_[i] += term;
    }
  }

  F reduce_;
  bool weighted_;
  std::vector<T> sums_;
  std::int64_t valid_ = 0;
};

/// Adapts an object that takes every micro-batch.
template <NativeScalar T, TypedReducer<T> F>
class ConvertedReducer final : public Reducer {
 public:
  explicit ConvertedReducer(F reduce) : reduce_(std::move(reduce)) {}

  std::optional<Reduced> contribute(Communicator& ranks, Contribution& c) override {
    const std::span<double> values = c.gradient.values();
    std::vector<T> gradient(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) gradient[i] = static_cast<T>(values[i]);
    TypedContribution<T> mine{.gradient = gradient,
                              .loss = static_cast<T>(c.loss),
                              .valid = c.valid,
                              .rows = c.rows,
                              .step = c.step,
                              .micro_batch = c.micro_batch,
                              .last = c.last,
                              .absent = c.absent};
    std::optional<TypedResult<T>> result = reduce_(ranks, mine);
    // What it changed in its own inputs is seen in the contribution.
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(gradient[i]);
    if (!result) return std::nullopt;
    Reduced reduced;
    if (result->gradient.size() == values.size()) {  // otherwise it stays without a tree
      reduced.gradient =
          Tree(c.gradient.shared_shape(), {result->gradient.begin(), result->gradient.end()});
    }
    if (result->loss) reduced.loss = static_cast<double>(*result->loss);
    reduced.count = result->count;
    if (result->norm) reduced.norm = static_cast<double>(*result->norm);
    return reduced;
  }

 private:
  F reduce_;
};

/// A reducer around one rank's object.
template <NativeScalar T, class F>
std::unique_ptr<Reducer> adapt(F reduce, const ReducerSetup& setup) {
  if constexpr (InPlaceReducer<F, T>) {
    return std::make_unique<JoinedReducer<T, F>>(std::move(reduce), setup);
  } else {
    static_assert(TypedReducer<F, T>,
                  "takes neither (Communicator&, std::span<T>, ValidCount) nor (Communicator&, "
                  "TypedContribution<T>&)");
    return std::make_unique<ConvertedReducer<T, F>>(std::move(reduce));
  }
}

}  // namespace typed

/// A subject of user code that computes in T: every rank gets its own copy of `reduce`.
///
/// `reduce` is a function or an object of one of two kinds:
/// - `void(Communicator&, std::span<T> gradient, ValidCount mine)` is called once a step and
/// reduces
///   the flat tree in place. A rank's micro-batches are joined before, in T: several means to
///   sum_k RN(n_k g_k) / sum_k n_k, which adds kJoiningRoundings to every term and so to the
///   `roundings` of the claim, where it has them; several sums to their sum. One is handed on as it
///   is.
/// - `std::optional<TypedResult<T>>(Communicator&, TypedContribution<T>&)` takes every micro-batch
///   and answers the last one of a step.
///
/// Cases of another dtype are outside the claim.
/// \throws InputError  when the claim is inconsistent, names another dtype, or, for the first kind,
///                     an accumulator wider than T
template <NativeScalar T, class F>
requires InPlaceReducer<F, T> || TypedReducer<F, T> std::unique_ptr<Subject> per_rank(
    std::string name, Claim claim, F reduce) {
  claim = InPlaceReducer<F, T> ? typed::claim_for_joined(std::move(claim), kDtypeOf<T>)
                               : typed::claim_for(std::move(claim), kDtypeOf<T>);
  return per_rank(std::move(name), std::move(claim),
                  ReducerFactory([reduce = std::move(reduce)](const ReducerSetup& setup) {
                    return typed::adapt<T>(F(reduce), setup);
                  }));
}

/// The same with a factory: `make(const ReducerSetup&)` returns one rank's object, on that rank's
/// thread.
template <NativeScalar T, class Make>
requires std::invocable<const Make&, const ReducerSetup&> std::unique_ptr<Subject> per_rank(
    std::string name, Claim claim, Make make) {
  using F = std::invoke_result_t<const Make&, const ReducerSetup&>;
  claim = InPlaceReducer<F, T> ? typed::claim_for_joined(std::move(claim), kDtypeOf<T>)
                               : typed::claim_for(std::move(claim), kDtypeOf<T>);
  return per_rank(std::move(name), std::move(claim),
                  ReducerFactory([make = std::move(make)](const ReducerSetup& setup) {
                    return typed::adapt<T>(make(setup), setup);
                  }));
}

}  // namespace shardproof
