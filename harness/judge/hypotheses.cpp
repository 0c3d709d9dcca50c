#include "judge/hypotheses.h"

#include <cstdint>
#include <vector>

namespace shardproof {
namespace {

/// Counts that a mistaken weight is made of. A micro-batch is said to have a mean, its own
/// gradient.
struct MistakeSite {
  const Step& step;
  InputForm form;
  std::size_t own;  ///< the rank whose result is predicted
  std::size_t shard;
  std::size_t micro_batch;

  [[nodiscard]] std::uint64_t ranks() const { return step.shards.size(); }
  [[nodiscard]] std::uint64_t micro_batches() const {
    return step.shards[shard].micro_batches.size();
  }
  [[nodiscard]] bool is_last_rank() const { return shard + 1 == ranks(); }
  [[nodiscard]] bool is_last_micro_batch() const { return micro_batch + 1 == micro_batches(); }
  [[nodiscard]] std::uint64_t valid() const;  ///< n of the micro-batch
  [[nodiscard]] std::uint64_t valid_of(std::size_t rank) const;
  [[nodiscard]] std::uint64_t valid_of_all() const;  ///< N
  [[nodiscard]] std::uint64_t rows() const;          ///< padding included
  [[nodiscard]] std::uint64_t rows_of_all() const;
  [[nodiscard]] std::uint64_t ranks_with_rows() const;
};

using Weight = std::function<Fraction(const MistakeSite&)>;

std::optional<Prediction> predicted(const Weight& weight, bool of_step_before,
                                    const ResultSite& site) {
  const int step = site.step - (of_step_before ? 1 : 0);
  if (step < 0) return std::nullopt;
  const Step& rows = site.problem.steps[static_cast<std::size_t>(step)];
  Prediction prediction;
  for (std::size_t r = 0; r < rows.shards.size(); ++r) {
    for (std::size_t m = 0; m < rows.shards[r].micro_batches.size(); ++m) {
      const MistakeSite at{rows, site.claim.input, site.rank, r, m};
      if (at.valid() == 0) continue;
      const Fraction w = weight(at);
      if (w.numerator == 0) continue;
      if (w.denominator == 0) return std::nullopt;
      prediction.terms.push_back({step, r, m, site.element, w});
    }
  }
  return prediction;
}

const Shard& shard_of(const MistakeSite& site) { return site.step.shards[site.shard]; }

std::uint64_t count(ValidCount valid) { return static_cast<std::uint64_t>(valid.value); }

constexpr const char* kFixCounts =
    "all-reduce the counts as well, divide the summed gradient by the total count";

std::vector<Hypothesis> make_hypotheses() {
  std::vector<Hypothesis> all;
  const auto add = [&](std::string formula, std::string meaning, std::string fix, Weight weight,
                       bool of_step_before = false) {
    const auto predict = [weight = std::move(weight), of_step_before](const ResultSite& site) {
      return predicted(weight, of_step_before, site);
    };
    all.push_back({formula, formula, std::move(meaning), std::move(fix), predict});
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
      "reduce every leaf on every rank", [](const MistakeSite& s) {
        return Fraction{s.shard == s.own ? s.valid() : 0, s.valid_of(s.own)};
      });
  add("n_r mean_r / N on rank r", "the rank's own share: these values were never summed",
      "sum over the ranks", [](const MistakeSite& s) {
        return Fraction{s.shard == s.own ? s.valid() : 0, s.valid_of_all()};
      });
  add("sum_j n_j mean_j / n_r on rank r", "divided by the rank's own count instead of the total",
      kFixCounts, [](const MistakeSite& s) {
        return Fraction{s.valid(), s.valid_of(s.own)};
      });
  add(
      "G of the step before", "the result of the step before is returned again",
      "wait for this step's reduction",
      [](const MistakeSite& s) {
        return Fraction{s.valid(), s.valid_of_all()};
      },
      true);
  return all;
}

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

}  // namespace

std::span<const Hypothesis> known_hypotheses() {
  static const std::vector<Hypothesis> all = make_hypotheses();
  return all;
}

}  // namespace shardproof
