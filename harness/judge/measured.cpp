#include "judge/measured.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "subject/fractions.h"

namespace shardproof {
namespace {

constexpr double kLargestPart = 1e6;  // of a measured fraction
constexpr std::size_t kMostSentences = 8;
constexpr int kMostTurns = 24;  // of a continued fraction

/// A micro-batch.
struct Spot {
  std::size_t shard = 0;
  std::size_t micro_batch = 0;
  friend auto operator<=>(const Spot&, const Spot&) = default;
};

double size_of(const ExactMean& mean) {
  const double sum = mean.rows != nullptr
                         ? (mean.rows->negative() ? -1 : 1) * mean.rows->magnitude_down()
                         : mean.handed_in;
  return sum * static_cast<double>(mean.factor.numerator) /
         static_cast<double>(mean.factor.denominator);
}

double mean_at(const Predictor& predictor, int step, Spot at, std::size_t element) {
  const auto mean = predictor.means().mean(step, at.shard, at.micro_batch, element);
  return mean ? size_of(*mean) : 0;
}

template <class Visit>
void for_each_spot(const Step& step, const Visit& visit) {
  for (std::size_t r = 0; r < step.shards.size(); ++r) {
    for (std::size_t m = 0; m < step.shards[r].micro_batches.size(); ++m) visit(Spot{r, m});
  }
}

const Step& step_of(const Predictor& predictor, int step) {
  return predictor.trial().problem->steps[static_cast<std::size_t>(step)];
}

/// The one micro-batch whose gradient is not zero; nothing where there are more or none.
std::optional<Spot> only_spot(const Predictor& predictor, int step) {
  std::optional<Spot> only;
  int found = 0;
  const std::size_t size = predictor.means().shape()->size;
  for_each_spot(step_of(predictor, step), [&](Spot at) {
    for (std::size_t e = 0; e < size; ++e) {
      if (mean_at(predictor, step, at, e) == 0) continue;
      ++found;
      only = at;
      return;
    }
  });
  return found == 1 ? only : std::nullopt;
}

bool explains(const Predictor& predictor, int step, Spot at, const Fraction& weight,
              const JudgedValue& value) {
  const Prediction prediction{.terms = {{step, at.shard, at.micro_batch, value.element, weight}}};
  const auto element = predictor.worked_out(prediction, step);
  return element && predictor.accepts(*element, step, value.returned);
}

/// The first continued fraction of `ratio` that explains the value within its rounding.
std::optional<Fraction> simplest_weight(const Predictor& predictor, int step, Spot at,
                                        const JudgedValue& value) {
  const double mean = mean_at(predictor, step, at, value.element);
  double rest = value.returned / mean;
  if (!std::isfinite(rest) || rest < 0) return std::nullopt;
  double top = 1;
  double bottom = 0;
  double top_before = 0;
  double bottom_before = 1;
  for (int i = 0; i < kMostTurns; ++i) {
    const double whole = std::floor(rest);
    const double new_top = whole * top + top_before;
    const double new_bottom = whole * bottom + bottom_before;
    if (new_top > kLargestPart || new_bottom > kLargestPart) return std::nullopt;
    top_before = top;
    bottom_before = bottom;
    top = new_top;
    bottom = new_bottom;
    const Fraction weight{static_cast<std::uint64_t>(top), static_cast<std::uint64_t>(bottom)};
    if (explains(predictor, step, at, weight, value)) return weight;
    if (rest == whole) return std::nullopt;
    rest = 1 / (rest - whole);
  }
  return std::nullopt;
}

std::string text(const Fraction& f) {
  return f.denominator == 1 ? fmt::format("{}", f.numerator)
                            : fmt::format("{}/{}", f.numerator, f.denominator);
}

/// The number of the leaf; of the loss: the number of leaves.
std::size_t leaf_of(const TreeShape& shape, std::size_t element) {
  std::size_t leaf = 0;
  while (leaf < shape.leaves.size() &&
         element >= shape.leaves[leaf].offset + shape.leaves[leaf].size()) {
    ++leaf;
  }
  return leaf;
}

/// Whose weight: of a micro-batch in a leaf of a rank's result.
struct Entry {
  Spot spot;
  std::size_t rank;
  std::size_t leaf;
  friend auto operator<=>(const Entry&, const Entry&) = default;
};

/// What is measured of an entry; nothing where its elements ask for several weights.
using MeasuredWeights = std::map<Entry, std::optional<Fraction>>;

bool same_shape(const Trial& a, const Trial& b) {
  const Step& one = a.problem->steps.front();
  const Step& other = b.problem->steps.front();
  if (a.problem->model.layers != b.problem->model.layers ||
      one.shards.size() != other.shards.size() || one.micro_batches() != other.micro_batches()) {
    return false;
  }
  bool same = true;
  for_each_spot(one, [&](Spot at) {
    same = same && one.shards[at.shard].micro_batches[at.micro_batch].mask ==
                       other.shards[at.shard].micro_batches[at.micro_batch].mask;
  });
  return same;
}

void measure(const Evidence& evidence, std::size_t trial, Spot spot, MeasuredWeights& weights) {
  for (const JudgedValue& value : evidence.values()) {
    if (value.trial != trial || value.step != 0) continue;
    const Predictor& predictor = evidence.predictor(value);
    if (mean_at(predictor, 0, spot, value.element) == 0) continue;
    const Entry entry{spot, value.rank, leaf_of(*predictor.means().shape(), value.element)};
    const auto weight = simplest_weight(predictor, 0, spot, value);
    const auto [known, is_new] = weights.emplace(entry, weight);
    if (!is_new && known->second != weight) known->second = std::nullopt;
  }
}

MeasuredWeights measure(const Evidence& evidence) {
  MeasuredWeights weights;
  const Predictor* first = evidence.predictor(0);
  for (std::size_t t = 1; t < evidence.trials(); ++t) {
    const Predictor* predictor = evidence.predictor(t);
    if (predictor == nullptr || !same_shape(predictor->trial(), first->trial())) continue;
    if (const auto spot = only_spot(*predictor, 0)) measure(evidence, t, *spot, weights);
  }
  return weights;
}

/// Where a weight stands.
struct Places {
  std::vector<std::size_t> ranks;
  std::vector<std::size_t> leaves;
};

void insert(std::vector<std::size_t>& sorted, std::size_t value) {
  const auto at = std::ranges::lower_bound(sorted, value);
  if (at == sorted.end() || *at != value) sorted.insert(at, value);
}

std::string name_of_leaf(const TreeShape& shape, std::size_t leaf) {
  return leaf < shape.leaves.size() ? shape.leaves[leaf].name : "loss";
}

/// `1/2`, or `0 (rank 1; kernel, bias), 1 (rank 0; kernel, bias)`
std::string weights_text(const std::map<std::string, Places>& places, const TreeShape& shape) {
  if (places.size() == 1) return places.begin()->first;
  std::string out;
  for (const auto& [weight, where] : places) {
    std::vector<std::string> leaves;
    for (std::size_t leaf : where.leaves) leaves.push_back(name_of_leaf(shape, leaf));
    out += fmt::format("{}{} (rank {}; {})", out.empty() ? "" : ", ", weight,
                       fmt::join(where.ranks, " "), fmt::join(leaves, " "));
  }
  return out;
}

/// What is due to a micro-batch's mean.
std::string due(const Step& step, Spot at) {
  const auto mine = step.shards[at.shard].micro_batches[at.micro_batch].valid().value;
  const auto weight = times({static_cast<std::uint64_t>(mine), 1},
                            {1, static_cast<std::uint64_t>(step.valid().value)});
  return weight ? text(*weight) : "";
}

std::string sentence(const Step& step, Spot at, const std::string& weight) {
  const std::string whose = step.micro_batches() > 1
                                ? fmt::format("micro-batch {} of rank {}", at.micro_batch, at.shard)
                                : fmt::format("rank {}", at.shard);
  return fmt::format("measured: the mean of {} enters with weight {}; {} is due", whose, weight,
                     due(step, at));
}

/// A sentence a micro-batch.
std::vector<std::string> sentences(const MeasuredWeights& weights, const Predictor& first) {
  std::map<Spot, std::map<std::string, Places>> by_spot;
  for (const auto& [entry, weight] : weights) {
    Places& places = by_spot[entry.spot][weight ? text(*weight) : "none that fits"];
    insert(places.ranks, entry.rank);
    insert(places.leaves, entry.leaf);
  }
  std::vector<std::string> lines;
  for (const auto& [spot, places] : by_spot) {
    if (lines.size() == kMostSentences) break;
    lines.push_back(
        sentence(step_of(first, 0), spot, weights_text(places, *first.means().shape())));
  }
  return lines;
}

/// What the weights make of a value of the first trial; nothing where some weight is not known.
std::optional<Prediction> weighted(const MeasuredWeights& weights, const Predictor& first,
                                   const JudgedValue& value) {
  Prediction prediction;
  bool known = true;
  for_each_spot(step_of(first, 0), [&](Spot at) {
    if (mean_at(first, 0, at, value.element) == 0) return;
    const auto found =
        weights.find({at, value.rank, leaf_of(*first.means().shape(), value.element)});
    known = known && found != weights.end() && found->second.has_value();
    if (known) {
      prediction.terms.push_back({0, at.shard, at.micro_batch, value.element, *found->second});
    }
  });
  return known ? std::optional(prediction) : std::nullopt;
}

double approximate(const ElementReference& reference) {
  const double size = reference.numerator.magnitude_down() / static_cast<double>(reference.divisor);
  return reference.numerator.negative() ? -size : size;
}

/// The first value of the first trial that the weights do not explain.
std::string residual(const Evidence& evidence, const MeasuredWeights& weights) {
  const Predictor& first = *evidence.predictor(0);
  for (const JudgedValue& value : evidence.values()) {
    if (value.trial != 0 || value.step != 0) continue;
    const std::optional<Prediction> prediction = weighted(weights, first, value);
    if (!prediction) return "residual: no fixed weights of the ranks' means explain the values";
    const auto element = first.worked_out(*prediction, 0);
    if (!element || first.accepts(*element, 0, value.returned)) continue;
    const double expected = approximate(element->reference);
    return fmt::format(
        "residual: these weights would give {:.9g} in {} of rank {}, which returned {:.9g}: {:.3g} "
        "is left",
        expected,
        evidence.is_loss(value) ? "the loss" : element_name(*first.means().shape(), value.element),
        value.rank, value.returned, value.returned - expected);
  }
  return "residual: none, these weights explain this case";
}

bool is_wrong_in_first(const JudgedValue& value) {
  return value.wrong && value.trial == 0 && value.step == 0;
}

}  // namespace

std::vector<std::string> measured_weights(const Evidence& evidence) {
  if (std::ranges::none_of(evidence.values(), is_wrong_in_first)) return {};
  const Predictor* first = evidence.predictor(0);
  if (step_of(*first, 0).valid().value == 0) return {};
  const MeasuredWeights weights = measure(evidence);
  if (weights.empty()) return {};
  std::vector<std::string> lines = sentences(weights, *first);
  lines.push_back(residual(evidence, weights));
  return lines;
}

}  // namespace shardproof
