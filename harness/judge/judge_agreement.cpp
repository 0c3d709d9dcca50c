#include <fmt/format.h>

#include "judge/sentence.h"
#include "judge/steps.h"
#include "shardproof/judge/judge.h"

namespace shardproof {
namespace {

/// A value that two results of a rank and step hold with different bits.
struct Difference {
  std::string element;
  double first = 0;
  double second = 0;
};

std::optional<Difference> difference(const Tree& a, const Tree& b, const char* prefix) {
  const std::size_t at = first_difference(a.values(), b.values());
  if (at == a.values().size()) return std::nullopt;
  return Difference{prefix + element_name(a.shape(), at), a.values()[at], b.values()[at]};
}

std::optional<Difference> difference(const std::optional<double>& a, const std::optional<double>& b,
                                     const char* what) {
  if (!a || !b || first_difference({&*a, 1}, {&*b, 1}) == 1) return std::nullopt;
  return Difference{what, *a, *b};
}

/// What every rank holds whole, whatever is claimed of the gradient.
std::optional<Difference> difference_beside_gradient(const RankResult& a, const RankResult& b) {
  if (a.parameters && b.parameters) {
    if (auto d = difference(*a.parameters, *b.parameters, "updated ")) return d;
  }
  if (auto d = difference(a.loss, b.loss, "loss")) return d;
  if (auto d = difference(a.count, b.count, "count")) return d;
  return difference(a.norm, b.norm, "norm");
}

std::optional<Difference> difference(const RankResult& a, const RankResult& b) {
  if (auto d = difference(a.gradient, b.gradient, "")) return d;
  return difference_beside_gradient(a, b);
}

bool has_more_than_gradient(const RankResult& result) {
  return result.loss || result.count || result.norm || result.parameters;
}

Failure differs(FailureKind kind, std::size_t step, std::size_t rank, const Difference& d,
                std::string sentence) {
  Failure failure;
  failure.kind = kind;
  failure.step = static_cast<int>(step);
  failure.rank = Rank{static_cast<int>(rank)};
  failure.element = d.element;
  failure.returned = d.second;
  failure.sentence = std::move(sentence);
  return failure;
}

std::string with_bits(Dtype dtype, double value) {
  return fmt::format("{} ({})", shortest(dtype, value), bits(dtype, value));
}

}  // namespace

Verdict judge_equal_ranks(const Trial& trial) {
  const Returned* returned = std::get_if<Returned>(&trial.outcome);
  if (returned == nullptr) return NotApplicable{kNoResult};
  const bool in_pieces = trial.claim->result == Result::pieces;
  if (in_pieces && !any_rank(*returned, has_more_than_gradient)) {
    return NotApplicable{"each rank returns its own piece and nothing else"};
  }
  const Dtype dtype = output_dtype(trial);
  for (std::size_t s = 0; s < returned->results.size(); ++s) {
    const std::vector<RankResult>& ranks = returned->results[s];
    for (std::size_t r = 1; r < ranks.size(); ++r) {
      const std::optional<Difference> d = in_pieces ? difference_beside_gradient(ranks[0], ranks[r])
                                                    : difference(ranks[0], ranks[r]);
      if (!d) continue;
      return differs(
          FailureKind::ranks_differ, s, r, *d,
          fmt::format("step {}, {}: rank 0 returned {}, rank {} returned {}", s, d->element,
                      with_bits(dtype, d->first), r, with_bits(dtype, d->second)));
    }
  }
  return Consistent{};
}

Verdict judge_repeated(const Trial& first, const Trial& second) {
  const Returned* a = std::get_if<Returned>(&first.outcome);
  const Returned* b = std::get_if<Returned>(&second.outcome);
  if (a == nullptr || b == nullptr) return NotApplicable{kNoResult};
  const Dtype dtype = output_dtype(first);
  for (std::size_t s = 0; s < a->results.size(); ++s) {
    for (std::size_t r = 0; r < a->results[s].size(); ++r) {
      const std::optional<Difference> d = difference(a->results[s][r], b->results[s][r]);
      if (!d) continue;
      return differs(
          FailureKind::unsteady, s, r, *d,
          fmt::format("step {}, {}: rank {} returned {}, and {} for the same inputs run again", s,
                      d->element, r, with_bits(dtype, d->first), with_bits(dtype, d->second)));
    }
  }
  return Consistent{};
}

Verdict judge_inputs(const Trial& trial) {
  const Returned* returned = std::get_if<Returned>(&trial.outcome);
  if (returned == nullptr) return NotApplicable{kNoResult};
  if (!returned->input_change) return Consistent{};
  const InputChange& change = *returned->input_change;
  const Difference d{change.what, change.before, change.after};
  const Dtype dtype = output_dtype(trial);
  return differs(
      FailureKind::input_changed, static_cast<std::size_t>(change.step),
      static_cast<std::size_t>(change.rank.index), d,
      fmt::format("step {}, micro-batch {}: rank {} was handed {} = {} and left {} there",
                  change.step, change.micro_batch, change.rank.index, change.what,
                  shortest(dtype, change.before), shortest(dtype, change.after)));
}

}  // namespace shardproof
