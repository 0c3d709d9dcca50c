#include "judge/counts_and_norms.h"

#include <algorithm>
#include <cmath>

#include "exact/rounding.h"
#include "judge/norm.h"
#include "judge/whole_gradient.h"

namespace shardproof {
namespace {

/// A result whose count or norm is asked about.
struct At {
  const Trial& trial;
  const Returned& returned;
  std::size_t step;
  std::size_t rank;
  std::span<const double> gradient;  // as the ranks returned it, whole

  [[nodiscard]] const Step& rows() const { return trial.problem->steps[step]; }
  [[nodiscard]] const Shard& own() const { return rows().shards[rank]; }
  [[nodiscard]] const RankResult& result() const { return returned.results[step][rank]; }
};

double all_rows(const Shard& shard) {
  double rows = 0;
  for (const MicroBatch& batch : shard.micro_batches) rows += batch.rows();
  return rows;
}

double valid(const Step& step) { return static_cast<double>(step.valid().value); }

struct Mistake {
  const char* name;
  const char* formula;
  const char* meaning;
  const char* fix;
  double (*value)(const At&);
};

constexpr Mistake kCounts[] = {
    {"own-count", "n_r", "the rank's own valid count", "all-reduce the count",
     [](const At& at) { return static_cast<double>(at.own().valid().value); }},
    {"ranks-as-count", "P", "the number of ranks", "return the count of rows",
     [](const At& at) { return static_cast<double>(at.rows().shards.size()); }},
    {"padded-count", "T", "all rows, padding included", "count the rows that the mask keeps",
     [](const At& at) {
       double rows = 0;
       for (const Shard& shard : at.rows().shards) rows += all_rows(shard);
       return rows;
     }},
    {"own-padded-count", "t_r", "the rank's own rows, padding included",
     "all-reduce the count of rows that the mask keeps",
     [](const At& at) { return all_rows(at.own()); }},
    {"summed-count", "P N", "the count is summed over ranks twice", "reduce the count once",
     [](const At& at) { return static_cast<double>(at.rows().shards.size()) * valid(at.rows()); }},
    {"mean-count", "N / P", "the count is averaged over ranks", "sum the count",
     [](const At& at) { return valid(at.rows()) / static_cast<double>(at.rows().shards.size()); }},
    {"last-count", "n_r of the last micro-batch, summed over ranks",
     "only the last micro-batch is counted", "add up the counts of all micro-batches",
     [](const At& at) {
       double count = 0;
       for (const Shard& shard : at.rows().shards) {
         count += static_cast<double>(shard.micro_batches.back().valid().value);
       }
       return count;
     }},
    {"count-so-far", "N of all steps so far", "the count is not reset between steps",
     "reset the count at every step",
     [](const At& at) {
       double count = 0;
       for (std::size_t s = 0; s <= at.step; ++s) count += valid(at.trial.problem->steps[s]);
       return count;
     }},
    {"stale-count", "N of the step before", "the count of the step before is returned again",
     "wait for this step's reduction",
     [](const At& at) { return valid(at.trial.problem->steps[at.step == 0 ? 0 : at.step - 1]); }},
};

double squares(std::span<const double> values) {
  double sum = 0;
  for (double value : values) sum += value * value;
  return sum;
}

std::span<const double> tree(const At& at) { return at.gradient; }

std::span<const double> leaf(const At& at, std::size_t number) {
  const LeafShape& shape = at.result().gradient.shape().leaves[number];
  return tree(at).subspan(shape.offset, shape.size());
}

std::size_t leaves(const At& at) { return at.result().gradient.shape().leaves.size(); }

/// The own mean of the rank; nothing for train steps, which hand nothing in.
std::optional<std::vector<double>> own_mean(const At& at) {
  if (at.trial.kind != SubjectKind::reducer) return std::nullopt;
  std::vector<double> own(tree(at).size());
  const auto count = static_cast<double>(at.own().valid().value);
  const auto all = static_cast<double>(at.rows().valid().value);
  for (const Contribution& one : at.returned.contributions[at.step][at.rank]) {
    if (one.valid.value == 0) continue;
    double weight = static_cast<double>(one.valid.value) / count;
    if (at.trial.claim->input == InputForm::local_sum) weight = 1 / count;
    if (at.trial.claim->input == InputForm::global_mean) weight = all / count;
    for (std::size_t e = 0; e < own.size(); ++e) own[e] += weight * one.gradient.values()[e];
  }
  return own;
}

double own_norm(const At& at) {
  const auto own = own_mean(at);
  return own ? std::sqrt(squares(*own)) : std::nan("");
}

double norm_of_own_chunk(const At& at) {
  auto seen = own_mean(at);
  if (!seen) return std::nan("");
  const std::size_t ranks = at.rows().shards.size();
  for (std::size_t e = 0; e < seen->size(); ++e) {
    const bool in_chunk =
        e >= seen->size() * at.rank / ranks && e < seen->size() * (at.rank + 1) / ranks;
    if (in_chunk) (*seen)[e] = tree(at)[e];
  }
  return std::sqrt(squares(*seen));
}

constexpr Mistake kNorms[] = {
    {"squared-norm", "sum_e g_e^2", "the root is missing", "take the root",
     [](const At& at) { return squares(tree(at)); }},
    {"own-norm", "|mean_r|", "the norm of the rank's own gradient, before the reduction",
     "take the norm of the reduced tree", own_norm},
    {"norm-of-own-chunk", "|own chunk of G, mean_r elsewhere| on rank r",
     "the norm of a buffer of which only the own chunk is reduced yet",
     "add up the squares of the chunks of all ranks", norm_of_own_chunk},
    {"norm-of-first-leaf", "|leaf 0|", "the norm of the first leaf only",
     "add up the squares of all leaves",
     [](const At& at) { return std::sqrt(squares(leaf(at, 0))); }},
    {"norm-of-last-leaf", "|last leaf|", "the norm of the last leaf only",
     "add up the squares of all leaves",
     [](const At& at) { return std::sqrt(squares(leaf(at, leaves(at) - 1))); }},
    {"norm-without-last-leaf", "the norm without the last leaf", "the last leaf is missing from it",
     "add up the squares of all leaves",
     [](const At& at) {
       return std::sqrt(std::max(0.0, squares(tree(at)) - squares(leaf(at, leaves(at) - 1))));
     }},
    {"sum-of-norms", "sum of the leaves' norms", "norms are added, not their squares",
     "add up the squares of all leaves",
     [](const At& at) {
       double sum = 0;
       for (std::size_t i = 0; i < leaves(at); ++i) sum += std::sqrt(squares(leaf(at, i)));
       return sum;
     }},
    {"largest-norm", "max_e |g_e|", "the largest element", "take the Euclidean norm",
     [](const At& at) {
       double largest = 0;
       for (double value : tree(at)) largest = std::max(largest, std::abs(value));
       return largest;
     }},
    {"norm-summed-over-ranks", "sqrt(P) |G|", "the squares of every rank's copy are added up",
     "take the norm of one copy",
     [](const At& at) {
       return std::sqrt(squares(tree(at)) * static_cast<double>(at.rows().shards.size()));
     }},
    {"norm-times-ranks", "P |G|", "the norm is summed over ranks", "take the norm of one copy",
     [](const At& at) {
       return std::sqrt(squares(tree(at))) * static_cast<double>(at.rows().shards.size());
     }},
};

/// What is returned, and whether it is wrong; nothing where it is not returned or not judged.
struct Asked {
  double value;
  bool wrong;
};

std::optional<Asked> count_at(const At& at) {
  if (!at.result().count || at.rows().valid().value == 0) return std::nullopt;
  return Asked{*at.result().count, *at.result().count != valid(at.rows())};
}

std::optional<Asked> norm_at(const At& at) {
  if (!at.result().norm || at.rows().valid().value == 0) return std::nullopt;
  const std::optional<bool> wrong = is_wrong_norm(at.trial, at.gradient, *at.result().norm);
  if (!wrong) return std::nullopt;
  return Asked{*at.result().norm, *wrong};
}

bool equal_counts(const At&, double predicted, double returned) { return predicted == returned; }

/// Within the rounding of squares, sums and a root in the case's dtype.
bool equal_norms(const At& at, double predicted, double returned) {
  const double u = rounding_constants(at.trial.problem->dtype, true).u.value();
  const double relative = (8 * static_cast<double>(tree(at).size()) + 20) * u;
  return std::abs(predicted - returned) <= relative * std::abs(predicted);
}

using Ask = std::optional<Asked> (*)(const At&);
using Equal = bool (*)(const At&, double predicted, double returned);

template <class Visit>
void for_each_result(std::span<const Trial> trials, const Visit& visit) {
  for (std::size_t t = 0; t < trials.size(); ++t) {
    const Returned* returned = std::get_if<Returned>(&trials[t].outcome);
    if (returned == nullptr) continue;
    for (std::size_t s = 0; s < returned->results.size(); ++s) {
      const WholeGradient gradient(trials[t], s);
      for (std::size_t r = 0; r < returned->results[s].size(); ++r) {
        visit(t, At{trials[t], *returned, s, r, gradient.of_rank(r)});
      }
    }
  }
}

/// How a mistake fares on all results.
struct Tried {
  Cause cause;
  bool predicts_wrong = true;
  bool predicts_right = true;
};

Tried tried(const Mistake& mistake, std::span<const Trial> trials, std::size_t of_finding, Ask ask,
            Equal equal) {
  Tried tried;
  Cause& cause = tried.cause;
  cause.name = mistake.name;
  cause.formula = mistake.formula;
  cause.meaning = mistake.meaning;
  cause.fix = mistake.fix;
  std::optional<std::size_t> last;
  for_each_result(trials, [&](std::size_t t, const At& at) {
    const std::optional<Asked> returned = ask(at);
    if (!returned) return;
    const bool fits = equal(at, mistake.value(at), returned->value);
    if (!returned->wrong) {
      tried.predicts_right = tried.predicts_right && fits;
      return;
    }
    tried.predicts_wrong = tried.predicts_wrong && fits;
    ++cause.values;
    cause.unseen += t < of_finding ? 0 : 1;
    cause.cases += last == t ? 0 : 1;
    last = t;
  });
  return tried;
}

std::vector<Cause> causes_of(std::span<const Mistake> mistakes, std::span<const Trial> trials,
                             std::size_t of_finding, Ask ask, Equal equal) {
  std::vector<Cause> everywhere;
  std::vector<Cause> somewhere;
  for (const Mistake& mistake : mistakes) {
    Tried one = tried(mistake, trials, of_finding, ask, equal);
    if (one.cause.values == 0 || !one.predicts_wrong) continue;
    (one.predicts_right ? everywhere : somewhere).push_back(std::move(one.cause));
  }
  return everywhere.empty() ? somewhere : everywhere;
}

}  // namespace

std::vector<Cause> causes_of_counts(std::span<const Trial> trials, std::size_t of_finding) {
  return causes_of(kCounts, trials, of_finding, count_at, equal_counts);
}

std::vector<Cause> causes_of_norms(std::span<const Trial> trials, std::size_t of_finding) {
  return causes_of(kNorms, trials, of_finding, norm_at, equal_norms);
}

}  // namespace shardproof
