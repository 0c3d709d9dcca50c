#include <algorithm>
#include <array>
#include <iterator>

#include "fit.h"
#include "plan.h"
#include "shardproof/generators/cases.h"

namespace shardproof {
namespace {

constexpr std::uint64_t kVariantValues = 3;  // the use of random numbers, beside those of cases.cpp
constexpr int kMostOneHot = 12;

/// How many rows are added to a micro-batch: unlike for neighbours, whatever their number.
int more_rows(std::size_t shard, std::size_t micro_batch) {
  constexpr std::array kMore{1, 4, 0, 2, 6, 3};
  return kMore[(shard + 2 * micro_batch) % kMore.size()];
}

RowCount unlike(RowCount count, std::size_t shard, std::size_t micro_batch) {
  const int padded = count.rows - count.valid;
  const int valid = count.valid == 0 ? 0 : count.valid + more_rows(shard, micro_batch);
  return {valid + (padded == 0 ? 0 : padded + static_cast<int>((shard + micro_batch) % 2)), valid};
}

RowCount tripled(RowCount count, std::size_t, std::size_t) {
  return {3 * count.rows, 3 * count.valid};
}

RowCount kept(RowCount count, std::size_t, std::size_t) { return count; }

using Change = RowCount (*)(RowCount, std::size_t shard, std::size_t micro_batch);

/// \param more  micro-batches, which have the sizes of the first ones before they are changed
Split changed(const Step& step, Change change, int more, const SizeRange& rows_taken) {
  Split split;
  for (std::size_t r = 0; r < step.shards.size(); ++r) {
    auto& shard = split.shards.emplace_back();
    const std::size_t count = step.shards[r].micro_batches.size();
    for (std::size_t m = 0; m < count + static_cast<std::size_t>(more); ++m) {
      const MicroBatch& rows = step.shards[r].micro_batches[m % count];
      const RowCount now{rows.rows(), static_cast<int>(rows.valid().value)};
      shard.push_back(fit_rows(rows_taken, change(now, r, m)));
    }
  }
  return split;
}

/// The case's structure with other numbers and counts, and with one step more.
Case variant(const Case& problem, const Claim& claim, Change change, int micro_batches_more,
             int number) {
  Plan plan{.dtype = problem.dtype,
            .model = problem.model,
            .learning_rate = problem.learning_rate,
            .padding = claim.padding,
            .moved_residuals = true,
            .arrival = problem.arrival};
  for (const Step& step : problem.steps) {
    const int taken = claim.shapes.micro_batches.high - step.micro_batches();
    plan.steps.push_back(
        changed(step, change, std::min(micro_batches_more, taken), claim.shapes.rows));
  }
  if (plan.steps.size() == 1 && claim.shapes.steps.high > 1) {
    plan.steps.push_back(plan.steps.front());
  }
  Source source(
      rc::Random(rc::Random::Key{kVariantValues, 0, static_cast<std::uint64_t>(number), 0}));
  Case made = build(source, std::move(plan));
  for (std::size_t s = 0; s < made.steps.size(); ++s) {
    const Step& from = problem.steps[std::min(s, problem.steps.size() - 1)];
    for (std::size_t r = 0; r < from.shards.size(); ++r) {
      for (std::size_t m = 0; m < from.shards[r].micro_batches.size(); ++m) {
        made.steps[s].shards[r].micro_batches[m].absent = from.shards[r].micro_batches[m].absent;
      }
    }
  }
  return made;
}

/// Numbers that are not zero, for the valid rows.
void heat(MicroBatch& rows) {
  for (std::size_t i = 0; i < rows.mask.size(); ++i) {
    if (rows.mask[i] == 0) continue;
    const std::size_t features = rows.x.size() / rows.mask.size();
    const std::size_t outputs = rows.y.size() / rows.mask.size();
    for (std::size_t d = 0; d < features; ++d) rows.x[i * features + d] = 1;
    for (std::size_t k = 0; k < outputs; ++k)
      rows.y[i * outputs + k] = 1 + static_cast<double>(k % 4);
  }
}

void cool(MicroBatch& rows) {
  for (std::size_t i = 0; i < rows.y.size(); ++i) {
    if (rows.mask[i * rows.mask.size() / rows.y.size()] != 0) rows.y[i] = 0;
  }
}

/// Parameters are zero, and so are the gradients of all other micro-batches.
Case one_hot(Case problem, std::size_t shard, std::size_t micro_batch) {
  problem.given = nullptr;
  std::ranges::fill(problem.model.parameters, 0.0);
  for (Step& step : problem.steps) {
    for (std::size_t r = 0; r < step.shards.size(); ++r) {
      for (std::size_t m = 0; m < step.shards[r].micro_batches.size(); ++m) {
        MicroBatch& rows = step.shards[r].micro_batches[m];
        r == shard&& m == micro_batch ? heat(rows) : cool(rows);
      }
    }
  }
  return problem;
}

}  // namespace

std::vector<Case> variants(const Case& problem, const Claim& claim) {
  std::vector<Case> all;
  int number = 0;
  for (const int micro_batches_more : {0, 2}) {
    for (const Change change : {&kept, &unlike, &tripled}) {
      Case made = variant(problem, claim, change, micro_batches_more, number++);
      if (!excluded_by(claim, made)) all.push_back(std::move(made));
    }
  }
  return all;
}

std::vector<Case> one_hot_cases(const Case& problem) {
  std::vector<Case> all;
  const Step& first = problem.steps.front();
  for (std::size_t r = 0; r < first.shards.size(); ++r) {
    for (std::size_t m = 0; m < first.shards[r].micro_batches.size(); ++m) {
      if (first.shards[r].micro_batches[m].valid().value == 0) continue;
      if (static_cast<int>(all.size()) == kMostOneHot) return all;
      all.push_back(one_hot(problem, r, m));
    }
  }
  return all;
}

std::vector<Case> diagnosis_cases(const Claim& claim, SubjectKind kind, const Case& minimal,
                                  const Case& found) {
  const DrawOptions options{.dtypes = {minimal.dtype}, .max_world = kMaxWorldSize};
  const int steps = static_cast<int>(minimal.steps.size());
  std::vector<Case> all = discriminating_cases(claim, kind, minimal.dtype, options, steps);
  const auto add = [&](std::vector<Case> more) {
    std::ranges::move(more, std::back_inserter(all));
  };
  add(variants(minimal, claim));
  if (!(found == minimal)) add(variants(found, claim));
  add(one_hot_cases(minimal));
  return all;
}

}  // namespace shardproof
