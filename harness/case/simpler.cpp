#include "shardproof/case/simpler.h"

#include <array>
#include <utility>

#include "case/simpler_stages.h"
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

bool offer_templates(const Case& problem, const Offer& offer) {
  for (Case& smallest : templates(problem)) {
    if (!offer(std::move(smallest))) return false;
  }
  return true;
}

constexpr std::array kDocumentedOrder{
    offer_templates,      offer_fewer_steps,    offer_fewer_ranks,   offer_fewer_micro_batches,
    offer_fewer_rows,     offer_fewer_leaves,   offer_fewer_outputs, offer_fewer_features,
    offer_simpler_counts, offer_simpler_values, offer_simpler_order};
static_assert(kDocumentedOrder.size() == kSimplerStages);

}  // namespace

bool for_each_simpler_of_stage(const Case& problem, int stage,
                               const std::function<bool(Case)>& visit) {
  const Simplicity simplicity(problem);
  const bool empty_allowed = has_empty_step(problem);
  const Offer offer = [&](Case candidate) {
    candidate.given = nullptr;
    if (!(Simplicity(candidate) < simplicity)) return true;
    if (!empty_allowed && has_empty_step(candidate)) return true;
    return visit(std::move(candidate));
  };
  return kDocumentedOrder[static_cast<std::size_t>(stage)](problem, offer);
}

void for_each_simpler(const Case& problem, const std::function<bool(Case)>& visit) {
  for (int stage = 0; stage < kSimplerStages; ++stage) {
    if (!for_each_simpler_of_stage(problem, stage, visit)) return;
  }
}

}  // namespace shardproof
