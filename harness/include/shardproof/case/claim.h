#pragma once

#include <bitset>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shardproof/case/case.h"
#include "shardproof/case/condition.h"
#include "shardproof/case/shapes.h"

namespace shardproof {

/// What the reduced tree should be.
enum class Target {
  weighted_mean,    ///< the gradient of the mean loss over all valid rows of the step
  mean_over_ranks,  ///< (1/P) times the sum over ranks of each rank's own mean gradient
  sum,              ///< the sum of all contributions as they are handed in
};

/// What a rank hands to the reducer for a micro-batch (c = 2/K, n its valid count, N the step's).
enum class InputForm {
  local_mean,   ///< c/n times the sum over its valid rows; zeros where n = 0
  local_sum,    ///< c times the sum over its valid rows
  global_mean,  ///< c/N times the sum over its valid rows: already divided by the global count
};

/// What of the reduced tree each rank returns.
enum class Result {
  whole,   ///< all of it
  pieces,  ///< its piece of the flat tree: `even_piece`, or where the rank says that it lies
};

/// Which orders of summation the bound must allow.
enum class Summation {
  any,   ///< anything right, compensated sums and running means too
  tree,  ///< a binary tree of rounded additions over the terms, in any shape and order
};

/// How several micro-batches of one rank are put together.
enum class Accumulation {
  summed,        ///< their (weighted) terms enter one sum
  running_mean,  ///< acc += (g - acc) n_k / (n_1 + ... + n_k), then reduced over the ranks
};

enum class Rounding { nearest, faithful };
enum class Flush { no, yes, either };       ///< subnormal results and inputs replaced by zero
enum class PaddingContent { finite, any };  ///< finite and small; or large, NaN and infinite too
enum class AllEmpty { error_or_zeros, nan_allowed };  ///< when no row of a step is valid
enum class Update { any, from_returned };  ///< the update uses exactly the returned gradient

/// What the author of a subject promises. Every judgement is made under it and says what it
/// assumed.
struct Claim {
  Target target = Target::weighted_mean;
  InputForm input = InputForm::local_mean;
  /// Loss, count, norm (of the whole gradient) and a train step's parameters are whole on all ranks
  /// whatever this is.
  Result result = Result::whole;
  ConditionSet conditions = ConditionSet::all();
  int min_world = 1;
  int max_world = kMaxWorldSize;
  /// World sizes between them that are not claimed: `world=2+4+8` leaves out 3, 5, 6 and 7.
  std::bitset<kMaxWorldSize + 1> left_out_worlds{};
  Shapes shapes{};
  /// The one dtype of cases that it takes; nothing: all. As a setting `dtype=any|f64|f32`.
  std::optional<Dtype> only_dtype = std::nullopt;
  /// The dtype of intermediate results; nothing: that of the contributions.
  std::optional<Dtype> accumulate = std::nullopt;
  /// Whether sums of 16-bit contributions are rounded to 16 bits, `accumulate=case`: without it a
  /// claim that names no `accumulate` takes no 16-bit contributions.
  bool accumulates_in_16_bits = false;
  /// Products of a train step's own gradient; nothing: the case's dtype, f32 where that has 16
  /// bits.
  std::optional<Dtype> multiply = std::nullopt;
  std::optional<Dtype> gradient = std::nullopt;  ///< of contributions; nothing: the case's
  /// To which terms are converted before they are summed, and the sum on its way back; nothing: no
  /// conversion.
  std::optional<Dtype> wire = std::nullopt;
  std::optional<Dtype> output = std::nullopt;  ///< of results; nothing: that of the contributions
  std::optional<Dtype> count = std::nullopt;   ///< in which counts are summed; nothing: exactly
  /// Of the weights that a train step keeps beside the parameters that it returns; nothing: none.
  std::optional<Dtype> master = std::nullopt;
  /// Multiplicative roundings of a term before the last rounding (NUMERICS m); nothing: any
  /// placement of the division.
  std::optional<int> roundings = std::nullopt;
  int levels = 1;  ///< averaging levels over ranks: 2 for a hierarchical mean
  Summation summation = Summation::any;
  Accumulation accumulation = Accumulation::summed;
  Rounding rounding = Rounding::nearest;
  Flush flush = Flush::no;
  PaddingContent padding = PaddingContent::finite;
  AllEmpty all_empty = AllEmpty::error_or_zeros;
  Update update = Update::any;
  bool order_fixed = false;         ///< equal inputs give equal bits, whatever the order of arrival
  bool equal_bits = true;           ///< every rank returns the same bits
  bool inputs_overwritten = false;  ///< a rank's own inputs may be changed

  [[nodiscard]] bool takes_world(int size) const {
    return min_world <= size && size <= max_world &&
           !left_out_worlds.test(static_cast<std::size_t>(size));
  }
  /// Claims exactly these sizes; bit P stands for a world of P ranks. \pre there is one
  void set_worlds(const std::bitset<kMaxWorldSize + 1>& sizes);

  friend bool operator==(const Claim&, const Claim&) = default;
};

/// The dtypes that a claim gives to the roles of a case.
struct RoleDtypes {
  Dtype multiply;
  Dtype gradient;
  std::optional<Dtype> wire;
  Dtype accumulate;
  Dtype output;
  std::optional<Dtype> count;
  std::optional<Dtype> master;
};
RoleDtypes role_dtypes(const Claim& claim, Dtype of_case);

/// \return why `problem` lies outside the claim, or nothing when the claim admits it
std::optional<std::string> excluded_by(const Claim& claim, const Case& problem);

/// Applies `KEY=VALUE,KEY=VALUE` to a claim. Keys are the names of the fields with `-` for `_`,
/// with `conditions=equal+empty` and `world=2..16`
/// or `world=2+4+8`; of `shapes`, those of its fields. \throws InputError  naming the key and the
/// values that it takes
Claim with_settings(Claim claim, std::string_view settings);

/// Every field as `KEY=VALUE,...`: `with_settings(Claim{}, settings(claim)) == claim`.
std::string settings(const Claim& claim);

/// One key of the settings: what it is unless said, and what it may be.
struct ClaimField {
  std::string key;
  std::string usual;
  std::string allowed;
};

/// Every key, in the order of `settings`.
std::vector<ClaimField> claim_fields();

/// Checks that the fields fit each other.
/// \throws InputError  such as `target mean-over-ranks` with `input global-mean`
void validate(const Claim& claim);

/// `target weighted mean, any placement, f32 accumulation`: the fields that a verdict rests on.
std::string describe(const Claim& claim, Dtype dtype);

}  // namespace shardproof
