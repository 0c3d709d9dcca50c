#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "exit_status.h"
#include "shardproof/case/error.h"
#include "shardproof/exact/bound_parts.h"
#include "shardproof/judge/arithmetic.h"
#include "shardproof/judge/leaf.h"
#include "verbs.h"

namespace shardproof::cli {
namespace {

/// Six digits that are not below the value: what is printed is still proved.
std::string up(double value) {
  if (std::isinf(value)) return "infinite";
  for (double more = value;; more *= 1 + 1e-6) {
    std::string text = fmt::format("{:.6g}", more);
    if (std::strtod(text.c_str(), nullptr) >= value) return text;
  }
}

Claim claim_of(const BoundRequest& request) {
  Claim claim;
  claim.accumulate = request.accumulate.value_or(request.dtype);
  claim.output = request.output;
  claim.wire = request.wire;
  claim.roundings = request.roundings;
  claim.levels = request.levels;
  claim.summation = request.tree ? Summation::tree : Summation::any;
  claim.rounding = request.faithful ? Rounding::faithful : Rounding::nearest;
  claim.flush = request.flush ? Flush::either : Flush::no;
  validate(claim);
  return claim;
}

std::size_t terms_of(const BoundRequest& request) {
  return static_cast<std::size_t>(request.ranks) * static_cast<std::size_t>(request.micro_batches);
}

void check_lengths(const BoundRequest& request) {
  const std::string expected = fmt::format("{} (--ranks {}, --micro-batches {})", terms_of(request),
                                           request.ranks, request.micro_batches);
  const auto check = [&](const char* option, std::size_t size) {
    if (size == 0 || size == terms_of(request)) return;
    throw InputError("", fmt::format("{} has {} numbers, not {}", option, size, expected));
  };
  check("--terms", request.terms.size());
  check("--counts", request.counts.size());
  for (const double term : request.terms) {
    if (representable(request.dtype, term)) continue;
    throw InputError("", fmt::format("--terms: {} is no value of {}", term, name(request.dtype)));
  }
  if (request.counts.empty()) return;
  if (std::ranges::all_of(request.counts, [](int count) { return count == 0; })) {
    throw InputError("", "--counts: no row is valid");
  }
}

/// A step of so many valid rows, which are not read.
SharedCase counts_only(const BoundRequest& request) {
  Case problem;
  problem.dtype = request.dtype;
  problem.mesh.axes.front().size = request.ranks;
  Step& step = problem.steps.emplace_back();
  std::size_t at = 0;
  for (int r = 0; r < request.ranks; ++r) {
    Shard& shard = step.shards.emplace_back();
    for (int m = 0; m < request.micro_batches; ++m, ++at) {
      const int count = request.counts.empty() ? 1 : request.counts[at];
      shard.micro_batches.emplace_back().mask.resize(static_cast<std::size_t>(count), 1);
    }
  }
  return std::make_shared<const Case>(std::move(problem));
}

std::string head(const BoundRequest& request, const Claim& claim, const Arithmetic& arithmetic,
                 std::int64_t terms) {
  const double u = format(arithmetic.accumulate).unit_roundoff * (arithmetic.faithful ? 2 : 1);
  return fmt::format(
      "{}; {} rank{}, {} micro-batch{} each; assumed: {}\n"
      "  n = {}   terms that are not zero\n"
      "  m = {}   roundings of a term before the last rounding: where the division stands, "
      "conversions\n"
      "  u = 2^{} = {}   unit roundoff of {}, in which is summed\n",
      name(request.dtype), request.ranks, request.ranks == 1 ? "" : "s", request.micro_batches,
      request.micro_batches == 1 ? "" : "es", describe(claim, request.dtype), terms,
      arithmetic.roundings, std::ilogb(u), u, name(arithmetic.accumulate));
}

std::string formula(const Arithmetic& arithmetic, bool by_grid) {
  if (by_grid)
    return "u ((n - 2) X + |E| + ...), X = M / (1 - (n - 2) u): no partial sum is larger";
  if (arithmetic.tree && !arithmetic.faithful) return "(n - 1) u (W + kappa W + H)";
  if (arithmetic.tree) return "((1 + u)^(n-1) - 1) (W + kappa W + H)";
  return "max((1 + u)^(n-1) - 1, 3 u) (W + kappa W + H): compensated sums, too";
}

std::string parts_of(const Arithmetic& arithmetic, const TermSums& sums, const char* unit) {
  const BoundParts parts = bound_parts(arithmetic, sums);
  return fmt::format(
      "  kappa = (1 + u)^m - 1{} <= {}\n"
      "  H <= {}   what underflow may add\n"
      "  sum part = {}\n"
      "           <= {}{}\n"
      "  B = kappa W + H + sum part <= {}{}   before the last rounding\n",
      arithmetic.wire ? ", and the roundings to the wire," : "", up(parts.kappa),
      up(parts.underflow), formula(arithmetic, parts.by_grid), up(parts.additions), unit,
      up(parts.total), unit);
}

/// Bounds in units of W, the sum of the magnitudes of the weighted terms.
std::string in_units(const BoundRequest& request, const Claim& claim,
                     const Arithmetic& arithmetic) {
  const auto terms = static_cast<std::int64_t>(terms_of(request));
  const TermSums one_sign{.positive = 1, .negative = 0, .total = 1, .terms = terms};
  const double bound = reduction_bound(arithmetic, one_sign);
  const Dtype output = role_dtypes(claim, request.dtype).output;
  const double h = format(output).unit_roundoff * (arithmetic.faithful ? 2 : 1);
  const double allowed = (bound + h * (1 + bound)) * (1 + 0x1p-40);
  std::string out = head(request, claim, arithmetic, terms);
  out += "  W = sum of |w g|, the unit of what follows; the terms have one sign\n";
  out += parts_of(arithmetic, one_sign, " W");
  out += fmt::format("  h <= {} of the result   half a gap of {}, the last rounding\n", up(h),
                     name(output));
  if (std::isinf(allowed)) return out + "nothing is proved for so many terms and roundings\n";
  return out + fmt::format(
                   "a right reducer stays within {} W: rtol {} where all terms have one sign;\n"
                   "where they cancel, that much times W / |exact|. --terms gives exact limits\n",
                   up(allowed), up(allowed));
}

std::string of_terms(const BoundRequest& request, const Claim& claim,
                     const Arithmetic& arithmetic) {
  LeafValues values(static_cast<std::size_t>(request.ranks));
  std::size_t at = 0;
  for (auto& rank : values) {
    for (int m = 0; m < request.micro_batches; ++m) rank.push_back({request.terms[at++]});
  }
  const LeafJudge judge(counts_only(request), values);
  const std::optional<ElementLimits> limits = judge.limits(claim, 0);
  if (!limits) throw InputError("", "--counts are too unlike for exact weights in 53 bits");
  std::string out = head(request, claim, arithmetic, limits->sums.terms);
  out += fmt::format("  W = sum of |w g| <= {}   E = exact value {}\n",
                     up(limits->sums.positive + limits->sums.negative), limits->exact);
  out += parts_of(arithmetic, limits->sums, "");
  const Dtype output = role_dtypes(claim, request.dtype).output;
  const double h = std::max(last_rounding(arithmetic, output, limits->about, true),
                            last_rounding(arithmetic, output, limits->about, false));
  out += fmt::format("  h = {}   half a gap of {} at E, the last rounding\n", up(h), name(output));
  if (limits->may_overflow) {
    out += "some placement of the division may overflow: infinities and NaN are not refuted\n";
  }
  out += fmt::format("a right reducer returns at least {} and at most {}\n", limits->lowest,
                     limits->highest);
  const double away = std::max(limits->highest - limits->about, limits->about - limits->lowest);
  const double outward = away * (1 + 0x1p-40);
  if (limits->about == 0) {
    return out + fmt::format("no rtol does for an exact 0; atol {} does\n", up(outward));
  }
  return out + fmt::format("as an allclose without atol: rtol {}\n",
                           up(outward / std::abs(limits->about) * (1 + 0x1p-40)));
}

}  // namespace

int bound(const BoundRequest& request) {
  check_lengths(request);
  const Claim claim = claim_of(request);
  const SharedCase problem = counts_only(request);
  const Arithmetic arithmetic = arithmetic_of(claim, *problem, problem->steps.front());
  const std::string out = request.terms.empty() ? in_units(request, claim, arithmetic)
                                                : of_terms(request, claim, arithmetic);
  std::fputs(out.c_str(), stdout);
  return kNothingRefuted;
}

}  // namespace shardproof::cli
