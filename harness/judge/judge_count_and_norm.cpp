#include <fmt/format.h>

#include <cmath>

#include "exact/magnitude.h"
#include "exact/rounding.h"
#include "judge/norm.h"
#include "judge/references.h"
#include "judge/sentence.h"
#include "judge/steps.h"
#include "judge/whole_gradient.h"
#include "shardproof/exact/exact_sum.h"
#include "shardproof/judge/judge.h"

namespace shardproof {
namespace {

/// Whether a naive norm keeps clear of overflow and underflow, and its squares split exactly.
bool naive_norm_is_safe(std::span<const double> values, Dtype dtype) {
  const Format& f = format(dtype);
  const double smallest = dtype == Dtype::f64 ? 0x1p-400 : std::sqrt(f.smallest_normal) * 2;
  const double largest = std::sqrt(f.largest) / (2 * std::sqrt(static_cast<double>(values.size())));
  for (double value : values) {
    const double size = std::abs(value);
    if (!std::isfinite(size) || size > largest || (size != 0 && size < smallest)) return false;
  }
  return true;
}

enum class NormRuling { right, wrong, undecided };

/// Squares, additions and the root are rounded once each; the squares of both sides are compared
/// exactly.
NormRuling rule_norm(std::span<const double> tree, double norm, Dtype dtype, bool faithful) {
  if (!naive_norm_is_safe(tree, dtype)) return NormRuling::undecided;
  if (!std::isfinite(norm) || norm < 0) return NormRuling::wrong;
  const RoundingConstants c = rounding_constants(dtype, faithful);
  // A square, T - 1 additions, and twice the root and the output: T + 4. Forms that rescale as they
  // go, and norms of norms, round up to four times for each element.
  const Magnitude relative = compound(c.u, 4 * static_cast<std::int64_t>(tree.size()) + 10);
  ExactSum squares;
  for (double value : tree) squares.add_product(value, value);
  const Magnitude allowed = relative * Magnitude{squares.positive_up()};
  // Out of reach of any norm that is safe, and of exact squares.
  if ((norm != 0 && norm < 0x1p-480) || norm > 0x1.8p511) return NormRuling::wrong;
  squares.add_product(-norm, norm);
  const int side = squares.sign();
  squares.add(-side * allowed.value());
  return side != 0 && squares.sign() == side ? NormRuling::wrong : NormRuling::right;
}

/// Counts are integers, summed exactly where the claim names no dtype for them or where all sums
/// are values of it; else each count and each sum is rounded once.
bool count_is_right(double count, std::int64_t valid, const RoleDtypes& dtypes, std::size_t ranks) {
  const auto due = static_cast<double>(valid);
  if (!dtypes.count || due <= std::ldexp(1.0, format(*dtypes.count).precision)) return count == due;
  const Magnitude relative =
      compound(rounding_constants(*dtypes.count, false).u, static_cast<std::int64_t>(ranks) + 1);
  return std::abs(count - due) <= (relative * Magnitude{due}).value();
}

Failure wrong(FailureKind kind, std::size_t step, std::size_t rank, const char* element,
              double value, std::string exact, std::string sentence) {
  Failure failure;
  failure.kind = kind;
  failure.step = static_cast<int>(step);
  failure.rank = Rank{static_cast<int>(rank)};
  failure.element = element;
  failure.returned = value;
  failure.exact = std::move(exact);
  failure.sentence = std::move(sentence);
  return failure;
}

double root_of_squares(std::span<const double> values) {
  double sum = 0;
  for (double value : values) sum += value * value;
  return std::sqrt(sum);
}

}  // namespace

std::optional<bool> is_wrong_norm(const Trial& trial, std::span<const double> gradient,
                                  double norm) {
  const RoleDtypes dtypes = role_dtypes(*trial.claim, trial.problem->dtype);
  const Dtype coarsest = coarser(dtypes.accumulate, dtypes.output);
  const NormRuling ruling =
      rule_norm(gradient, norm, coarsest, trial.claim->rounding == Rounding::faithful);
  if (ruling == NormRuling::undecided) return std::nullopt;
  return ruling == NormRuling::wrong;
}

Verdict judge_count_and_norm(const Trial& trial) {
  const Returned* returned = std::get_if<Returned>(&trial.outcome);
  if (returned == nullptr) return NotApplicable{kNoResult};
  const RoleDtypes dtypes = role_dtypes(*trial.claim, trial.problem->dtype);
  const Dtype dtype = dtypes.output;
  const Dtype coarsest = coarser(dtypes.accumulate, dtype);
  const bool faithful = trial.claim->rounding == Rounding::faithful;
  bool judged = false;
  for (std::size_t s = 0; s < returned->results.size(); ++s) {
    const std::int64_t valid = trial.problem->steps[s].valid().value;
    if (valid == 0) continue;
    const WholeGradient gradient(trial, s);
    for (std::size_t r = 0; r < returned->results[s].size(); ++r) {
      const RankResult& result = returned->results[s][r];
      if (result.count) {
        judged = true;
        if (!count_is_right(*result.count, valid, dtypes, returned->results[s].size())) {
          return wrong(FailureKind::wrong_count, s, r, "count", *result.count,
                       fmt::format("{}", valid),
                       fmt::format("step {}, count: rank {} returned {}; {} rows are valid", s, r,
                                   shortest(dtype, *result.count), valid));
        }
      }
      if (result.norm) {
        const NormRuling ruling = rule_norm(gradient.of_rank(r), *result.norm, coarsest, faithful);
        judged = judged || ruling == NormRuling::right;
        if (ruling == NormRuling::wrong) {
          const double due = root_of_squares(gradient.of_rank(r));
          const char* whose = gradient.in_pieces() ? "all ranks' pieces together have"
                                                   : "the tree that it returned has";
          return wrong(FailureKind::wrong_norm, s, r, "norm", *result.norm, "",
                       fmt::format("step {}, norm: rank {} returned {}; {} the norm {}", s, r,
                                   shortest(dtype, *result.norm), whose, shortest(dtype, due)));
        }
      }
    }
  }
  if (judged) return Consistent{};
  return NotApplicable{"no count or norm is returned that can be judged"};
}

}  // namespace shardproof
