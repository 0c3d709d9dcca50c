#include "judge/mistakes.h"

#include <fmt/format.h>

#include <array>
#include <numeric>
#include <vector>

namespace shardproof {
namespace {

constexpr std::uint64_t kLargest = std::uint64_t{1} << 53;

const Shard& shard_of(const MistakeSite& site) { return site.step.shards[site.shard]; }

std::uint64_t count(ValidCount valid) { return static_cast<std::uint64_t>(valid.value); }

constexpr const char* kFixCounts =
    "all-reduce the counts as well, divide the summed gradient by the total count";

std::vector<Mistake> make_mistakes() {
  std::vector<Mistake> all;
  const auto add = [&](std::string formula, std::string meaning, std::string fix,
                       std::function<Fraction(const MistakeSite&)> weight) -> Mistake& {
    return all.emplace_back(Mistake{.formula = std::move(formula),
                                    .meaning = std::move(meaning),
                                    .fix = std::move(fix),
                                    .weight = std::move(weight)});
  };
  // Only local means can be summed by mistake: sums of the other forms have formulas of their own
  // below.
  add("sum_rk mean_rk", "the sum of the means of all ranks and micro-batches",
      "divide by the total count (by P where all counts are equal)", [](const MistakeSite& s) {
        return Fraction{1, s.form == InputForm::local_mean ? std::uint64_t{1} : 0};
      });
  add("sum_r mean_r", "the sum of per-rank means: summed where the mean was due",
      "divide by the total count (by P where all counts are equal)", [](const MistakeSite& s) {
        return Fraction{s.valid(), s.valid_of(s.shard)};
      });
  add("P G", "P times the reference: summed over ranks where the mean was due", "divide by P once",
      [](const MistakeSite& s) {
        return Fraction{s.ranks() * s.valid(), s.valid_of_all()};
      });
  add("G / P", "the reference divided by P: the division is made twice", "divide once",
      [](const MistakeSite& s) {
        return Fraction{s.valid(), s.ranks() * s.valid_of_all()};
      });
  add("(1/P) sum_r mean_r", "the mean of per-rank means", kFixCounts, [](const MistakeSite& s) {
    return Fraction{s.valid(), s.ranks() * s.valid_of(s.shard)};
  });
  add("(1/(P K)) sum_rk mean_rk", "the mean of the means of all ranks and micro-batches",
      "weight each micro-batch by its valid count", [](const MistakeSite& s) {
        return Fraction{1, s.ranks() * s.micro_batches()};
      });
  add("mean of the means of ranks that have rows", "ranks without a valid row are left out of P",
      kFixCounts, [](const MistakeSite& s) {
        return Fraction{s.valid(), s.ranks_with_rows() * s.valid_of(s.shard)};
      });
  add("sum_r n_r mean_r / rows", "padded rows are in the denominator",
      "count the rows that the mask keeps", [](const MistakeSite& s) {
        return Fraction{s.valid(), s.rows_of_all()};
      });
  add("sum_r rows_r mean_r / rows", "each rank is weighted by its rows with the padded ones",
      "weight by the rows that the mask keeps", [](const MistakeSite& s) {
        return Fraction{s.rows(), s.rows_of_all()};
      });
  add("sum_r n_r mean_r", "weighted by counts and not divided", "divide by the total count",
      [](const MistakeSite& s) {
        return Fraction{s.valid(), 1};
      });
  add("sum_r n_r mean_r / P", "weighted by counts, then divided by the number of ranks",
      "divide by the total count", [](const MistakeSite& s) {
        return Fraction{s.valid(), s.ranks()};
      });
  add("sum without the last rank / N", "the last rank is missing from the sum",
      "include every rank", [](const MistakeSite& s) {
        return Fraction{s.is_last_rank() ? 0 : s.valid(), s.valid_of_all()};
      });
  add("mean without the last rank", "the last rank is missing from sum and count",
      "include every rank", [](const MistakeSite& s) {
        return Fraction{s.is_last_rank() ? 0 : s.valid(),
                        s.valid_of_all() - s.valid_of(s.ranks() - 1)};
      });
  add("sum without rank 0 / N", "rank 0 is missing from the sum", "include every rank",
      [](const MistakeSite& s) {
        return Fraction{s.shard == 0 ? 0 : s.valid(), s.valid_of_all()};
      });
  add("last micro-batches / N", "only the last micro-batch of each rank is in the sum",
      "accumulate, do not overwrite", [](const MistakeSite& s) {
        return Fraction{s.is_last_micro_batch() ? s.valid() : 0, s.valid_of_all()};
      });
  add("first micro-batches / N", "only the first micro-batch of each rank is in the sum",
      "accumulate every micro-batch", [](const MistakeSite& s) {
        return Fraction{s.micro_batch == 0 ? s.valid() : 0, s.valid_of_all()};
      });
  add("mean_0", "rank 0's own mean on every rank", "reduce before broadcasting",
      [](const MistakeSite& s) {
        return Fraction{s.shard == 0 ? s.valid() : 0, s.valid_of(0)};
      });
  add("mean_r on rank r", "the rank's own mean: these values were never reduced",
      "reduce every leaf on every rank",
      [](const MistakeSite& s) {
        return Fraction{s.shard == s.own ? s.valid() : 0, s.valid_of(s.own)};
      })
      .differs_by_rank = true;
  add("n_r mean_r / N on rank r", "the rank's own share: these values were never summed",
      "sum over the ranks",
      [](const MistakeSite& s) {
        return Fraction{s.shard == s.own ? s.valid() : 0, s.valid_of_all()};
      })
      .differs_by_rank = true;
  add("sum_j n_j mean_j / n_r on rank r", "divided by the rank's own count instead of the total",
      kFixCounts,
      [](const MistakeSite& s) {
        return Fraction{s.valid(), s.valid_of(s.own)};
      })
      .differs_by_rank = true;
  add("G of the step before", "the result of the step before is returned again",
      "wait for this step's reduction",
      [](const MistakeSite& s) {
        return Fraction{s.valid(), s.valid_of_all()};
      })
      .of_step_before = true;
  return all;
}

MistakeSite site(const Trial& trial, int step, std::size_t own, std::size_t shard,
                 std::size_t micro_batch) {
  return {trial.problem->steps[static_cast<std::size_t>(step)], trial.claim->input, own, shard,
          micro_batch};
}

/// Multiplies in lowest terms; nothing beyond the limit or over zero.
std::optional<Fraction> times(Fraction a, std::uint64_t numerator, std::uint64_t denominator) {
  if (a.denominator == 0 || denominator == 0) return std::nullopt;
  if (a.numerator == 0 || numerator == 0) return Fraction{0, 1};
  const std::uint64_t own = std::gcd(a.numerator, a.denominator);
  const std::uint64_t other = std::gcd(numerator, denominator);
  Fraction f{a.numerator / own, a.denominator / own};
  numerator /= other;
  denominator /= other;
  const std::uint64_t left = std::gcd(f.numerator, denominator);
  const std::uint64_t right = std::gcd(numerator, f.denominator);
  f = {f.numerator / left, f.denominator / right};
  numerator /= right;
  denominator /= left;
  if (f.numerator > kLargest / numerator || f.denominator > kLargest / denominator) {
    return std::nullopt;
  }
  return Fraction{f.numerator * numerator, f.denominator * denominator};
}

/// Fractions by shard and micro-batch over a common divisor.
std::optional<Weights> common(const std::vector<std::vector<Fraction>>& fractions) {
  Weights weights;
  for (const auto& shard : fractions) {
    for (const Fraction& f : shard) {
      const std::uint64_t factor = f.denominator / std::gcd(weights.divisor, f.denominator);
      if (weights.divisor > kLargest / factor) return std::nullopt;
      weights.divisor *= factor;
    }
  }
  for (const auto& shard : fractions) {
    std::vector<std::uint64_t>& row = weights.weight.emplace_back();
    for (const Fraction& f : shard) {
      const std::uint64_t factor = weights.divisor / f.denominator;
      if (f.numerator != 0 && factor > kLargest / f.numerator) return std::nullopt;
      row.push_back(f.numerator * factor);
    }
  }
  return weights;
}

}  // namespace

std::uint64_t MistakeSite::valid() const {
  return count(shard_of(*this).micro_batches[micro_batch].valid());
}
std::uint64_t MistakeSite::valid_of(std::size_t rank) const {
  return count(step.shards[rank].valid());
}
std::uint64_t MistakeSite::valid_of_all() const { return count(step.valid()); }
std::uint64_t MistakeSite::rows() const {
  return shard_of(*this).micro_batches[micro_batch].mask.size();
}
std::uint64_t MistakeSite::rows_of_all() const {
  std::uint64_t rows = 0;
  for (const Shard& one : step.shards) {
    for (const MicroBatch& batch : one.micro_batches) rows += batch.mask.size();
  }
  return rows;
}
std::uint64_t MistakeSite::ranks_with_rows() const {
  std::uint64_t ranks_with = 0;
  for (const Shard& one : step.shards) ranks_with += one.valid().value > 0 ? 1 : 0;
  return ranks_with;
}

std::span<const Mistake> known_mistakes() {
  static const std::vector<Mistake> all = make_mistakes();
  return all;
}

std::optional<StepWeights> weights_of(const Mistake& mistake, const Trial& trial, int step,
                                      std::size_t own) {
  const Step& rows_of = trial.problem->steps[static_cast<std::size_t>(step)];
  const auto outputs = static_cast<std::uint64_t>(trial.problem->model.outputs());
  std::vector<std::vector<Fraction>> handed_in;
  std::vector<std::vector<Fraction>> rows;
  for (std::size_t r = 0; r < rows_of.shards.size(); ++r) {
    handed_in.emplace_back();
    rows.emplace_back();
    for (std::size_t m = 0; m < rows_of.shards[r].micro_batches.size(); ++m) {
      const MistakeSite at = site(trial, step, own, r, m);
      const std::uint64_t n = at.valid();
      Fraction mean = n == 0 ? Fraction{} : mistake.weight(at);
      if (mean.numerator == 0) mean = Fraction{};  // also of a rank without rows: 0/0 is its zero
      if (mean.denominator == 0) return std::nullopt;
      const std::uint64_t form_numerator =
          at.form == InputForm::global_mean ? at.valid_of_all() : 1;
      const std::uint64_t form_denominator = at.form == InputForm::local_mean || n == 0 ? 1 : n;
      const auto as_handed_in = times(mean, form_numerator, form_denominator);
      const auto as_rows = times(mean, 1, (n == 0 ? 1 : n) * outputs);
      if (!as_handed_in || !as_rows) return std::nullopt;
      handed_in.back().push_back(*as_handed_in);
      rows.back().push_back(*as_rows);
    }
  }
  const auto handed_in_weights = common(handed_in);
  const auto row_weights = common(rows);
  if (!handed_in_weights || !row_weights) return std::nullopt;
  return StepWeights{*handed_in_weights, *row_weights};
}

std::string effect_of(const Mistake& mistake, const Trial& trial, int step, std::size_t own) {
  const std::optional<StepWeights> weights = weights_of(mistake, trial, step, own);
  if (!weights || mistake.of_step_before) return {};
  struct Row {
    std::size_t rank;
    std::uint64_t weight;
  };
  std::vector<Row> rows;
  const Step& at = trial.problem->steps[static_cast<std::size_t>(step)];
  for (std::size_t r = 0; r < at.shards.size(); ++r) {
    for (std::size_t m = 0; m < at.shards[r].micro_batches.size(); ++m) {
      if (at.shards[r].micro_batches[m].valid().value == 0) continue;
      rows.push_back({r, weights->rows.weight[r][m]});
    }
  }
  if (rows.empty()) return {};
  const auto [low, high] = std::minmax_element(
      rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.weight < b.weight; });
  if (low->weight != high->weight) {
    if (low->weight == 0) return fmt::format("rows of rank {} are lost", low->rank);
    const std::uint64_t shared = std::gcd(low->weight, high->weight);
    const std::string ratio =
        low->weight == shared ? fmt::format("{}", high->weight / shared)
                              : fmt::format("{}/{}", high->weight / shared, low->weight / shared);
    return fmt::format("a row of rank {} weighs {} times a row of rank {}", high->rank, ratio,
                       low->rank);
  }
  const std::uint64_t due = static_cast<std::uint64_t>(at.valid().value) *
                            static_cast<std::uint64_t>(trial.problem->model.outputs());
  const auto factor = times({low->weight, weights->rows.divisor}, due, 1);
  if (!factor || (factor->numerator == 1 && factor->denominator == 1)) return {};
  return factor->denominator == 1
             ? fmt::format("every value is {} times what it should be here", factor->numerator)
             : fmt::format("every value is {}/{} of what it should be here", factor->numerator,
                           factor->denominator);
}

}  // namespace shardproof
