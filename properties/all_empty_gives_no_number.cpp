#include "catalogue.h"
#include "shardproof/judge/judge.h"
#include "view.h"

namespace shardproof {
namespace {

/// The first step alone, with no row left on any rank.
Case without_rows(Case problem) {
  problem.given.reset();
  problem.steps.resize(1);
  for (Shard& shard : problem.steps.front().shards) {
    for (MicroBatch& rows : shard.micro_batches) {
      rows.x.clear();
      rows.y.clear();
      rows.mask.clear();
    }
  }
  return problem;
}

/// The first step alone, with every row masked out.
Case without_valid_rows(Case problem) {
  problem.given.reset();
  problem.steps.resize(1);
  for (Shard& shard : problem.steps.front().shards) {
    for (MicroBatch& rows : shard.micro_batches) {
      for (std::uint8_t& keep : rows.mask) keep = 0;
    }
  }
  return problem;
}

std::vector<Case> emptied(const Premise& p) {
  std::vector<Case> cases{without_rows(p.problem)};
  Case masked = without_valid_rows(p.problem);
  if (!excluded_by(p.claim, masked)) cases.push_back(std::move(masked));
  return cases;
}

Verdict no_number(const Trial&, std::span<const Trial> related) {
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
