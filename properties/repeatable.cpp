#include <algorithm>

#include "catalogue.h"
#include "shardproof/judge/judge.h"
#include "view.h"

namespace shardproof {
namespace {

/// The same case again, and with the ranks arriving in another order.
std::vector<Case> again(const Premise& p) {
  std::vector<Case> cases{p.problem, p.problem};
  std::vector<int>& arrival = cases.back().arrival;
  if (arrival.empty()) {
    for (int r = 0; r < p.problem.world_size().value; ++r) arrival.push_back(r);
  }
  std::reverse(arrival.begin(), arrival.end());
  if (p.problem.world_size().value < 2) cases.pop_back();
  return cases;
}

Verdict same_bits(const Trial& base, std::span<const Trial> related) {
  Verdict verdict = Consistent{};
  for (const Trial& repeated : related) {
    verdict = judge_repeated(base, repeated);
    if (!std::holds_alternative<Consistent>(verdict)) return verdict;
  }
  return verdict;
}

}  // namespace

Property repeatable() {
  return {.name = "repeatable",
          .statement =
              "Run again on the same inputs, in whatever order the ranks arrive, every rank "
              "returns the same bits.",
          .kind = PropertyKind::law,
          .excluded =
              [](const Premise& p) {
                return unless(p.claim.order_fixed, "a fixed order of summation is not claimed");
              },
          .related = again,
          .check = same_bits};
}

}  // namespace shardproof
