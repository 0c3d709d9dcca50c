#include "subject/faults/predict_step.h"

#include "subject/fractions.h"

namespace shardproof {
namespace {

StepCounts counts_of(const Step& step) {
  StepCounts counts;
  for (const Shard& shard : step.shards) {
    auto& batches = counts.shards.emplace_back();
    for (const MicroBatch& batch : shard.micro_batches) {
      batches.push_back({static_cast<std::uint64_t>(batch.valid().value), batch.mask.size()});
    }
  }
  return counts;
}

Place place_of(const ResultSite& site, std::size_t rank) {
  const Step& step = site.problem.steps[static_cast<std::size_t>(site.step)];
  Place place{.world = static_cast<int>(step.shards.size()),
              .rank = static_cast<int>(rank),
              .step = site.step,
              .micro_batches = step.micro_batches(),
              .dtype = site.problem.dtype,
              .before_rank_0 = arrives_before_rank_0(site.problem.arrival, static_cast<int>(rank))};
  for (const MicroBatch& batch : step.shards[rank].micro_batches) {
    place.absent.push_back(batch.absent);
  }
  return place;
}

}  // namespace

PredictedStep::PredictedStep(const ResultSite& site, const Trigger* when)
    : site_(site), when_(when) {
  StepCounts before;
  for (int s = 0; s <= site.step; ++s) {
    counts_ = counts_of(site.problem.steps[static_cast<std::size_t>(s)]);
    counts_.follow(before);
    before = counts_;
  }
  if (when == nullptr) return;
  for (std::size_t r = 0; r < counts_.shards.size(); ++r) places_.push_back(place_of(site, r));
}

const MicroBatch& PredictedStep::batch(std::size_t shard, std::size_t micro_batch) const {
  const Step& step = site_.problem.steps[static_cast<std::size_t>(site_.step)];
  return step.shards[shard].micro_batches[micro_batch];
}

const Contribution* PredictedStep::handed_in(std::size_t shard, std::size_t micro_batch) const {
  if (site_.contributions == nullptr) return nullptr;
  return &(*site_.contributions)[static_cast<std::size_t>(site_.step)][shard][micro_batch];
}

bool PredictedStep::touches_element_of(std::size_t rank) const {
  return touches_rank(*when_, places_[rank]) &&
         touches_element(*when_, places_[rank], site_.shape, site_.element);
}

bool PredictedStep::touches_result() const {
  return when_ == nullptr || touches_element_of(site_.rank);
}

bool PredictedStep::touches_term(std::size_t shard, std::size_t micro_batch) const {
  return when_ == nullptr || (touches_element_of(shard) && touches_micro_batch(shard, micro_batch));
}

bool PredictedStep::spares_term(std::size_t shard, std::size_t micro_batch) const {
  return when_ != nullptr && touches_step(*when_, places_[shard]) &&
         touches_element(*when_, places_[shard], site_.shape, site_.element) &&
         !touches_micro_batch(shard, micro_batch);
}

bool PredictedStep::touches_micro_batch(std::size_t shard, std::size_t micro_batch) const {
  if (when_ == nullptr) return true;
  const BatchCount& batch = counts_.shards[shard][micro_batch];
  return touches_rank(*when_, places_[shard]) &&
         shardproof::touches_micro_batch(*when_, places_[shard], static_cast<int>(micro_batch),
                                         static_cast<int>(batch.rows - batch.valid));
}

std::optional<Fraction> PredictedStep::right_weight(std::size_t shard,
                                                    std::size_t micro_batch) const {
  return times({counts_.shards[shard][micro_batch].valid, 1}, {1, counts_.valid()});
}

std::optional<Fraction> PredictedStep::value(const Weight& weight, std::size_t shard,
                                             std::size_t micro_batch) const {
  const bool is_loss = site_.element == site_.shape.size;
  const TermPlace at{.own = site_.rank,
                     .shard = shard,
                     .micro_batch = micro_batch,
                     .leaf_size = is_loss ? 1 : leaf_of(site_.shape, site_.element).size(),
                     .leaves = site_.shape.leaves.size()};
  std::optional<Fraction> product = times({weight.factor, 1}, {1, weight.divisor});
  for (const Count count : weight.times) {
    if (product) product = times(*product, {value_of(count, counts_, at), 1});
  }
  for (const Count count : weight.over) {
    const std::uint64_t divisor = value_of(count, counts_, at);
    if (product) product = times(*product, {1, divisor == 0 ? 1 : divisor});
  }
  return product;
}

}  // namespace shardproof
