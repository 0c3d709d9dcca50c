#include <algorithm>
#include <utility>

#include "catalogue.h"
#include "shardproof/judge/judge.h"
#include "view.h"

namespace shardproof {
namespace {

Case arriving(Case problem, std::vector<int> order) {
  problem.arrival = std::move(order);
  return problem;
}

/// The same case again, and with the ranks arriving in other orders: turned round, and from three
/// ranks on with the first one last.
std::vector<Case> again(const Premise& p) {
  const int ranks = p.problem.world_size().value;
  std::vector<int> order = p.problem.arrival;
  for (int r = 0; order.size() < static_cast<std::size_t>(ranks); ++r) order.push_back(r);
  std::vector<Case> cases{p.problem};
  if (ranks >= 2) cases.push_back(arriving(p.problem, {order.rbegin(), order.rend()}));
  if (ranks >= 3) {
    std::rotate(order.begin(), order.begin() + 1, order.end());
    cases.push_back(arriving(p.problem, std::move(order)));
  }
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
