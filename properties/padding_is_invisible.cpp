#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "catalogue.h"
#include "shardproof/judge/judge.h"
#include "view.h"

namespace shardproof {
namespace {

constexpr double kLargeGarbage = 1e6;  // the most that a claim of finite padding has to bear

bool has_padding(const Case& problem) { return conditions(problem).contains(Condition::padded); }

/// Applies `change` to every micro-batch of every step and shard.
template <class Change>
Case with_each_micro_batch(Case problem, Change change) {
  problem.given.reset();
  for (Step& step : problem.steps) {
    for (std::size_t r = 0; r < step.shards.size(); ++r) {
      for (MicroBatch& rows : step.shards[r].micro_batches) change(rows, r);
    }
  }
  return problem;
}

/// What stands in padded rows, replaced by `garbage`.
Case with_padding_of(const Case& problem, double garbage) {
  const auto features = static_cast<std::size_t>(problem.model.features);
  const auto outputs = static_cast<std::size_t>(problem.model.outputs());
  return with_each_micro_batch(problem, [&](MicroBatch& rows, std::size_t) {
    for (std::size_t i = 0; i < rows.mask.size(); ++i) {
      if (rows.mask[i] != 0) continue;
      for (std::size_t d = 0; d < features; ++d) rows.x[i * features + d] = garbage;
      for (std::size_t k = 0; k < outputs; ++k) rows.y[i * outputs + k] = garbage;
    }
  });
}

/// Shard r gets r + 1 more padded rows, or as many as are taken, so that every shard's share of
/// padding changes.
Case with_more_padding(const Case& problem, const SizeRange& taken) {
  const auto features = static_cast<std::size_t>(problem.model.features);
  const auto outputs = static_cast<std::size_t>(problem.model.outputs());
  return with_each_micro_batch(problem, [&](MicroBatch& rows, std::size_t shard) {
    const int room = std::max(0, taken.high - rows.rows());
    const std::size_t added = std::min(shard + 1, static_cast<std::size_t>(room));
    rows.mask.insert(rows.mask.end(), added, 0);
    rows.x.insert(rows.x.end(), added * features, 1.0);
    rows.y.insert(rows.y.end(), added * outputs, -1.0);
  });
}

/// All of it, or as much as the claim allows.
Case without_padding(const Case& problem, const SizeRange& taken) {
  const auto features = static_cast<std::size_t>(problem.model.features);
  const auto outputs = static_cast<std::size_t>(problem.model.outputs());
  return with_each_micro_batch(problem, [&](MicroBatch& rows, std::size_t) {
    MicroBatch valid;
    valid.absent = rows.absent;
    auto padding_kept = std::max<std::int64_t>(0, taken.low - rows.valid().value);
    for (std::size_t i = 0; i < rows.mask.size(); ++i) {
      if (rows.mask[i] == 0 && padding_kept-- <= 0) continue;
      const auto x = rows.x.begin() + static_cast<std::ptrdiff_t>(i * features);
      const auto y = rows.y.begin() + static_cast<std::ptrdiff_t>(i * outputs);
      valid.mask.push_back(rows.mask[i]);
      valid.x.insert(valid.x.end(), x, x + static_cast<std::ptrdiff_t>(features));
      valid.y.insert(valid.y.end(), y, y + static_cast<std::ptrdiff_t>(outputs));
    }
    rows = std::move(valid);
  });
}

/// But for contributions that were given.
bool same_cases(const Case& a, Case b) {
  b.given.reset();
  return a == b;
}

std::vector<Case> other_padding(const Premise& p) {
  std::vector<Case> cases;
  const auto add = [&](Case problem) {
    const bool changed = all_shapes(p.claim.shapes) || !same_cases(problem, p.problem);
    if (changed && !excluded_by(p.claim, problem)) cases.push_back(std::move(problem));
  };
  const SizeRange& taken = p.claim.shapes.rows;
  add(with_more_padding(p.problem, taken));
  if (!has_padding(p.problem)) return cases;
  add(without_padding(p.problem, taken));
  if (p.kind != SubjectKind::train_step) return cases;
  add(with_padding_of(p.problem, round_to(p.problem.dtype, kLargeGarbage)));
  if (p.claim.padding == PaddingContent::any) {
    add(with_padding_of(p.problem, std::numeric_limits<double>::quiet_NaN()));
    add(with_padding_of(p.problem, std::numeric_limits<double>::infinity()));
  }
  return cases;
}

/// Each against its own exact value: the reference of a case never sees its padding.
Verdict all_match(const Trial& base, std::span<const Trial> related) {
  if (related.empty()) return NotApplicable{"the claim admits no other padding"};
  // What is wrong already is no matter of other padding.
  if (std::holds_alternative<Failure>(base.gradient_verdict())) {
    return NotApplicable{"the case is refuted with its own padding"};
  }
  bool judged = false;
  for (const Trial& trial : related) {
    const Verdict& verdict = trial.gradient_verdict();
    if (const auto* failure = std::get_if<Failure>(&verdict)) {
      Failure with_context = *failure;
      with_context.sentence = "with other padding, " + failure->sentence;
      return with_context;
    }
    judged = judged || std::holds_alternative<Consistent>(verdict);
  }
  if (judged) return Consistent{};
  return related.front().gradient_verdict();
}

}  // namespace

Property padding_is_invisible() {
  return {
      .name = "padding_is_invisible",
      .statement = "Neither the number of padded rows nor what stands in them changes the result.",
      .kind = PropertyKind::law,
      .excluded =
          [](const Premise& p) {
            return unless(p.claim.conditions.contains(Condition::padded), "padding is not claimed");
          },
      .related = other_padding,
      .check = all_match};
}

}  // namespace shardproof
