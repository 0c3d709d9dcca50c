#include <algorithm>
#include <cmath>
#include <limits>

#include "subject/faults/counts.h"
#include "subject/faults/misplaced.h"
#include "subject/faults/narrow.h"
#include "subject/faults/predict_special.h"
#include "subject/faults/predict_step.h"
#include "subject/fractions.h"

namespace shardproof {
namespace {

constexpr Fraction kNone{0, 1};

/// The right terms, with another weight, element or number where a fault says so.
class Predicted {
 public:
  explicit Predicted(const PredictedStep& at) : at_(at) {}

  /// Adds weight times the mean of a micro-batch that has valid rows.
  void add(std::size_t shard, std::size_t batch, std::optional<Fraction> weight) {
    add({.step = at_.site().step,
         .shard = shard,
         .micro_batch = batch,
         .element = at_.site().element},
        weight);
  }
  void add(PredictedTerm term, std::optional<Fraction> weight) {
    if (!weight) {
      known_ = false;
    } else if (weight->numerator != 0) {
      term.weight = *weight;
      prediction_.terms.push_back(term);
    }
  }
  [[nodiscard]] std::optional<Prediction> done() && {
    if (!known_) return std::nullopt;
    return std::move(prediction_);
  }

 private:
  const PredictedStep& at_;
  bool known_ = true;
  Prediction prediction_;
};

std::optional<Prediction> right(const PredictedStep& at) {
  Predicted all(at);
  at.each_term([&](std::size_t j, std::size_t k) { all.add(j, k, at.right_weight(j, k)); });
  return std::move(all).done();
}

std::optional<Prediction> predicted(const Weigh& weigh, const PredictedStep& at) {
  const std::size_t own = at.site().rank;
  const bool in_result = at.touches_result();
  Predicted all(at);
  at.each_term([&](std::size_t j, std::size_t k) {
    std::optional<Fraction> weight = at.right_weight(j, k);
    if (weigh.term && at.touches_term(j, k)) weight = at.value(*weigh.term, j, k);
    if (weigh.rest && at.spares_term(j, k)) weight = at.value(*weigh.rest, j, k);
    if (weigh.result && in_result && weight) {
      const auto factor = at.value(*weigh.result, own, 0);
      weight = factor ? times(*weight, *factor) : std::nullopt;
    }
    if (weigh.own && in_result) {
      if (weigh.own_alone) weight = kNone;
      if (j == own && at.touches_term(j, k) && weight) {
        const auto more = at.value(*weigh.own, j, k);
        weight = more ? plus(*weight, *more) : std::nullopt;
      }
    }
    all.add(j, k, weight);
  });
  return std::move(all).done();
}

std::optional<Prediction> predicted(const Recount& recount, const PredictedStep& at) {
  const auto counted = [&](std::size_t j, std::size_t k) -> std::uint64_t {
    const BatchCount& batch = at.counts().shards[j][k];
    if (!at.touches_micro_batch(j, k)) return batch.valid;
    if (recount.as == Recount::As::zero) return 0;
    return recount.as == Recount::As::one ? 1 : batch.rows;
  };
  std::uint64_t all_counted = 0;
  for (std::size_t j = 0; j < at.counts().shards.size(); ++j) {
    for (std::size_t k = 0; k < at.counts().shards[j].size(); ++k) all_counted += counted(j, k);
  }
  if (all_counted == 0) return std::nullopt;
  Predicted all(at);
  at.each_term([&](std::size_t j, std::size_t k) {
    const std::uint64_t count = recount.weighs ? counted(j, k) : at.counts().shards[j][k].valid;
    all.add(j, k, times({count, 1}, {1, all_counted}));
  });
  return std::move(all).done();
}

std::optional<Prediction> predicted(const Misplaced& misplaced, const PredictedStep& at) {
  const TreeShape& shape = at.site().shape;
  const std::size_t element = at.site().element;
  Predicted all(at);
  at.each_term([&](std::size_t j, std::size_t k) {
    std::optional<std::size_t> source = element;
    if (element < shape.size && at.touches_term(j, k)) {
      source = source_of(misplaced, shape, at.batch(j, k).absent, element);
    }
    if (!source) return;
    all.add({.step = at.site().step, .shard = j, .micro_batch = k, .element = *source},
            at.right_weight(j, k));
  });
  return std::move(all).done();
}

/// The step before, or this one where there is none.
ResultSite before(const ResultSite& site) {
  ResultSite earlier = site;
  earlier.step = std::max(site.step - 1, 0);
  return earlier;
}

std::optional<Prediction> predicted(const Stale& stale, const PredictedStep& at) {
  if (stale == Stale::result) {
    if (!at.touches_result()) return right(at);
    const PredictedStep earlier(before(at.site()), nullptr);
    if (earlier.counts().valid() == 0) return std::nullopt;
    return right(earlier);
  }
  const int step = at.site().step;
  Predicted all(at);
  at.each_term([&](std::size_t j, std::size_t k) {
    PredictedTerm term{.step = step, .shard = j, .micro_batch = k, .element = at.site().element};
    if (step > 0 && at.touches_term(j, k)) {
      const auto& earlier = at.site().problem.steps[static_cast<std::size_t>(step) - 1];
      const auto& batches = earlier.shards[j].micro_batches;
      if (k < batches.size()) term.step = step - 1;
      if (k < batches.size() && batches[k].valid().value == 0) return;  // its zeros
    }
    all.add(term, at.right_weight(j, k));
  });
  return std::move(all).done();
}

std::optional<Prediction> predicted(const Special& special, const PredictedStep& at) {
  if (special == Special::overwritten_input || special == Special::own_count ||
      special == Special::ranks_as_count || special == Special::own_norm ||
      special == Special::nan_from_nothing) {
    return right(at);
  }
  return predict_special(special, at, right(at));
}

std::optional<Prediction> predict(const Operator& what, const Trigger* when,
                                  const ResultSite& site) {
  const PredictedStep at(site, when);
  if (at.counts().valid() == 0) return std::nullopt;
  return std::visit([&](const auto& each) { return predicted(each, at); }, what);
}

}  // namespace

std::optional<Prediction> predict(const Fault& fault, const ResultSite& site) {
  return predict(fault.what, &fault.when, site);
}

std::optional<Prediction> predict(const Operator& what, const ResultSite& site) {
  return predict(what, nullptr, site);
}

}  // namespace shardproof
