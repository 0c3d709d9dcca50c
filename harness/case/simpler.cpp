#include "shardproof/case/simpler.h"

#include <array>
#include <utility>

#include "case/simpler_steps.h"
#include "case/simplicity.h"

namespace shardproof {
namespace {

bool has_empty_step(const Case& problem) {
  for (const Step& step : problem.steps) {
    if (step.valid().value == 0) return true;
  }
  return false;
}

}  // namespace

void for_each_simpler(const Case& problem, const std::function<bool(Case)>& visit) {
  const Simplicity simplicity(problem);
  const bool empty_allowed = has_empty_step(problem);
  const Offer offer = [&](Case candidate) {
    candidate.given = nullptr;
    if (!(Simplicity(candidate) < simplicity)) return true;
    if (!empty_allowed && has_empty_step(candidate)) return true;
    return visit(std::move(candidate));
  };
  for (Case& smallest : templates(problem)) {
    if (!offer(std::move(smallest))) return;
  }
  constexpr std::array kDocumentedOrder{
      offer_fewer_steps,    offer_fewer_ranks,   offer_fewer_micro_batches, offer_fewer_rows,
      offer_fewer_leaves,   offer_fewer_outputs, offer_fewer_features,      offer_simpler_counts,
      offer_simpler_values, offer_simpler_order};
  for (const auto offer_simpler : kDocumentedOrder) {
    if (!offer_simpler(problem, offer)) return;
  }
}

}  // namespace shardproof
