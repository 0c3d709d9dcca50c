#include <array>

#include "catalogue.h"
#include "shardproof/judge/judge.h"
#include "view.h"

namespace shardproof {
namespace {

/// The first step alone, or as few as are claimed, with every micro-batch changed.
template <class Change>
Case with_first_step_changed(Case problem, const Claim& claim, Change change) {
  problem.given.reset();
  problem.steps.resize(static_cast<std::size_t>(claim.shapes.steps.low));
  for (Step& step : problem.steps) {
    for (Shard& shard : step.shards) {
      for (MicroBatch& rows : shard.micro_batches) change(rows);
    }
  }
  return problem;
}

/// No row is left on any rank.
Case without_rows(const Premise& p) {
  return with_first_step_changed(p.problem, p.claim, [](MicroBatch& rows) {
    rows.x.clear();
    rows.y.clear();
    rows.mask.clear();
  });
}

/// Every row is masked out.
Case without_valid_rows(const Premise& p) {
  return with_first_step_changed(p.problem, p.claim, [](MicroBatch& rows) {
    for (std::uint8_t& keep : rows.mask) keep = 0;
  });
}

std::vector<Case> emptied(const Premise& p) {
  std::vector<Case> cases;
  for (Case& problem : std::array{without_rows(p), without_valid_rows(p)}) {
    if (!excluded_by(p.claim, problem)) cases.push_back(std::move(problem));
  }
  return cases;
}

Verdict no_number(const Trial&, std::span<const Trial> related) {
  if (related.empty()) return NotApplicable{"the claim admits no step without a valid row"};
  for (const Trial& trial : related) {
    Verdict verdict = judge_empty_steps(trial);
    if (!std::holds_alternative<Consistent>(verdict)) return verdict;
  }
  return Consistent{};
}

}  // namespace

Property all_empty_gives_no_number() {
  return {.name = "all_empty_gives_no_number",
          .statement =
              "Where no row is valid on any rank the answer is an error or zeros, never a "
              "number made of nothing.",
          .kind = PropertyKind::law,
          .excluded =
              [](const Premise& p) {
                return unless(p.claim.conditions.contains(Condition::empty),
                              "empty shards are not claimed");
              },
          .related = emptied,
          .check = no_number,
          .of_related_alone = true};
}

}  // namespace shardproof
