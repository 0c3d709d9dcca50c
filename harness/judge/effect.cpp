#include "judge/effect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "subject/fractions.h"

namespace shardproof {
namespace {

/// What one valid row of a micro-batch weighs in a result.
struct RowWeight {
  std::size_t rank;
  std::size_t micro_batch;
  Fraction weight;  // in lowest terms
};

bool less(const RowWeight& a, const RowWeight& b) {
  __extension__ using Wide = unsigned __int128;
  return Wide{a.weight.numerator} * b.weight.denominator <
         Wide{b.weight.numerator} * a.weight.denominator;
}

std::string text(const Fraction& f) {
  return f.denominator == 1 ? fmt::format("{}", f.numerator)
                            : fmt::format("{}/{}", f.numerator, f.denominator);
}

const Step& step_of(const ResultSite& site) {
  return site.problem.steps[static_cast<std::size_t>(site.step)];
}

std::uint64_t valid_of_all(const ResultSite& site) {
  return static_cast<std::uint64_t>(step_of(site).valid().value);
}

/// Of every micro-batch with rows; nothing where the weights do not fit.
std::optional<std::vector<RowWeight>> row_weights(const Prediction& prediction,
                                                  const ResultSite& site) {
  std::vector<RowWeight> rows;
  const std::vector<Shard>& shards = step_of(site).shards;
  for (std::size_t r = 0; r < shards.size(); ++r) {
    for (std::size_t m = 0; m < shards[r].micro_batches.size(); ++m) {
      const auto valid = static_cast<std::uint64_t>(shards[r].micro_batches[m].valid().value);
      if (valid == 0) continue;
      RowWeight row{r, m, {}};
      for (const PredictedTerm& term : prediction.terms) {
        if (term.shard != r || term.micro_batch != m) continue;
        const std::optional<Fraction> one = times(term.weight, {1, valid});
        const std::optional<Fraction> both = one ? plus(row.weight, *one) : std::nullopt;
        if (!both) return std::nullopt;
        row.weight = *both;
      }
      rows.push_back(row);
    }
  }
  return rows;
}

/// By how much all rows weigh too much; nothing where they do not weigh the same.
std::optional<Fraction> common_factor(const Prediction& prediction, const ResultSite& site) {
  const std::optional<std::vector<RowWeight>> rows = row_weights(prediction, site);
  if (!rows || rows->empty()) return std::nullopt;
  const auto [low, high] = std::ranges::minmax_element(*rows, less);
  if (less(*low, *high)) return std::nullopt;
  return times(low->weight, {valid_of_all(site), 1});
}

constexpr const char* kNames[] = {"P = ", "1/P = ", "K = ", "1/K = "};

std::array<Fraction, 4> named_factors(const ResultSite& site) {
  const std::uint64_t ranks = step_of(site).shards.size();
  const auto micro_batches = static_cast<std::uint64_t>(step_of(site).micro_batches());
  return {Fraction{ranks, 1}, {1, ranks}, {micro_batches, 1}, {1, micro_batches}};
}

/// The ranks of which no row has any weight, where all other rows weigh the same.
std::string missing_ranks(const std::vector<RowWeight>& rows) {
  std::vector<std::size_t> missing;
  std::vector<std::size_t> present;
  for (const RowWeight& row : rows) {
    std::vector<std::size_t>& to = row.weight.numerator == 0 ? missing : present;
    if (to.empty() || to.back() != row.rank) to.push_back(row.rank);
  }
  for (std::size_t rank : missing) {
    if (std::ranges::find(present, rank) != present.end()) return {};  // only some micro-batches
  }
  if (missing.size() == 1) return fmt::format("rank {} is missing", missing.front());
  if (present.size() == 1) return fmt::format("only rank {} is in it", present.front());
  return fmt::format("ranks {} are missing", fmt::join(missing, ", "));
}

std::string lost_rows(const std::vector<RowWeight>& rows, const RowWeight& lowest) {
  const std::string ranks = missing_ranks(rows);
  if (!ranks.empty()) return ranks;
  return fmt::format("the rows of micro-batch {} of rank {} are lost", lowest.micro_batch,
                     lowest.rank);
}

/// `a row of rank 1 weighs 3 times a row of rank 0`
std::string ratio_sentence(const RowWeight& low, const RowWeight& high) {
  const auto ratio = times(high.weight, {low.weight.denominator, low.weight.numerator});
  const auto name = [&](const RowWeight& row) {
    return low.rank != high.rank
               ? fmt::format("rank {}", row.rank)
               : fmt::format("micro-batch {} of rank {}", row.micro_batch, row.rank);
  };
  if (!ratio) return {};
  return fmt::format("a row of {} weighs {} times a row of {}", name(high), text(*ratio),
                     name(low));
}

std::string element_text(const ResultSite& site, std::size_t element) {
  return element == site.shape.size ? "the loss" : element_name(site.shape, element);
}

}  // namespace

void FactorNames::narrow(const Prediction& prediction, const ResultSite& site) {
  if (prediction.exactly) {
    fits_ = {};
    return;
  }
  const std::optional<Fraction> factor = common_factor(prediction, site);
  const std::array<Fraction, 4> named = named_factors(site);
  for (std::size_t i = 0; i < fits_.size(); ++i) fits_[i] = fits_[i] && factor == named[i];
}

std::string FactorNames::text() const {
  for (std::size_t i = 0; i < fits_.size(); ++i) {
    if (fits_[i]) return kNames[i];
  }
  return {};
}

std::string effect_of(const Prediction& prediction, const ResultSite& site, const std::string& what,
                      const FactorNames& names) {
  if (prediction.exactly || valid_of_all(site) == 0) return {};
  for (const PredictedTerm& term : prediction.terms) {
    if (term.weight.numerator == 0) continue;
    if (term.number) return {};
    if (term.step != site.step) {
      return fmt::format("step {} returns what belongs to step {}", site.step, term.step);
    }
    if (term.element != site.element) {
      return fmt::format("what belongs to {} stands in {}", element_text(site, term.element),
                         element_text(site, site.element));
    }
  }
  const std::optional<std::vector<RowWeight>> rows = row_weights(prediction, site);
  if (!rows || rows->empty()) return {};
  const auto [low, high] = std::ranges::minmax_element(*rows, less);
  if (high->weight.numerator == 0) {
    return fmt::format("no row reaches the result of rank {}", site.rank);
  }
  if (low->weight.numerator == 0) return lost_rows(*rows, *low);
  if (less(*low, *high)) return ratio_sentence(*low, *high);
  const auto factor = times(low->weight, {valid_of_all(site), 1});
  if (!factor || *factor == Fraction{1, 1}) return {};
  return fmt::format("{} is exactly {}{} {} the reference here", what, names.text(), text(*factor),
                     factor->denominator == 1 ? "times" : "of");
}

}  // namespace shardproof
