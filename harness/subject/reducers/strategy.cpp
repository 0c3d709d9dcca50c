#include "shardproof/subject/strategy.h"

#include <array>
#include <vector>

#include "shardproof/case/error.h"

namespace shardproof {
namespace {

constexpr std::array kTopologies{Topology::sequential,   Topology::tree,
                                 Topology::ring,         Topology::halving_doubling,
                                 Topology::hierarchical, Topology::own_rank_first};
constexpr std::array kScalings{Scaling::divide_after, Scaling::divide_before,
                               Scaling::weight_by_count, Scaling::sum_over_count};

bool means_of_ranks(Scaling s) { return s == Scaling::mean_of_means || s == Scaling::sum_of_means; }
bool multiplies(Scaling s) { return s == Scaling::weight_by_count || means_of_ranks(s); }
bool divides_own(Scaling s) { return s == Scaling::divide_before || means_of_ranks(s); }
bool divides_last(Scaling s) {
  return s != Scaling::divide_before && s != Scaling::sum_of_means && s != Scaling::none;
}

/// NUMERICS 1.4. The last division is the last rounding unless a conversion to the output follows;
/// terms that enter a narrower accumulator are converted, too.
int roundings(const Strategy& strategy) {
  const Scaling s = strategy.scaling;
  int count = (multiplies(s) ? 1 : 0) + (divides_own(s) ? 1 : 0);
  // What the wire rounds enters the sum, so that the division is not all that is left.
  if (!strategy.accumulate) return count;
  if (divides_last(s)) ++count;
  if (*strategy.accumulate != Dtype::f64) ++count;
  return count;
}

std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(':');
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

template <class Value, std::size_t size>
Value parse_part(std::string_view whole, std::string_view part, const char* kind,
                 const std::array<Value, size>& known) {
  std::string names;
  for (Value value : known) {
    if (name(value) == part) return value;
    names.append(names.empty() ? "" : ", ").append(name(value));
  }
  throw InputError("subject " + std::string(whole), "unknown " + std::string(kind) + " '" +
                                                        std::string(part) + "'; known: " + names);
}

std::optional<Dtype> parse_accumulate(std::string_view whole, std::string_view part) {
  if (part == "case") return std::nullopt;
  if (const auto dtype = parse_dtype(part)) return dtype;
  std::string names = "case";
  for (Dtype dtype : all_dtypes()) names.append(", ").append(name(dtype));
  throw InputError("subject " + std::string(whole),
                   "unknown accumulate dtype '" + std::string(part) + "'; known: " + names);
}

constexpr std::string_view kWire = "wire=";
constexpr std::string_view kGradient = "gradient=";

bool is_role(std::string_view part) {
  return part.starts_with(kWire) || part.starts_with(kGradient);
}

/// `wire=f16`, `gradient=f32`.
void parse_role(std::string_view whole, std::string_view part, Strategy& strategy) {
  if (!is_role(part)) {
    throw InputError("subject " + std::string(whole),
                     "unknown part '" + std::string(part) +
                         "'; TOPOLOGY[:SCALING[:ACCUMULATE]][:wire=DTYPE][:gradient=DTYPE]");
  }
  const bool wire = part.starts_with(kWire);
  const std::string_view dtype = part.substr((wire ? kWire : kGradient).size());
  std::string names;
  for (Dtype known : all_dtypes()) names.append(names.empty() ? "" : ", ").append(name(known));
  const std::optional<Dtype> found = parse_dtype(dtype);
  if (!found) {
    throw InputError("subject " + std::string(whole),
                     "unknown dtype '" + std::string(dtype) + "'; known: " + names);
  }
  (wire ? strategy.wire : strategy.gradient) = found;
}

}  // namespace

std::string_view name(Topology topology) {
  switch (topology) {
    case Topology::sequential:
      return "sequential";
    case Topology::tree:
      return "tree";
    case Topology::ring:
      return "ring";
    case Topology::halving_doubling:
      return "halving-doubling";
    case Topology::hierarchical:
      return "hierarchical";
    case Topology::own_rank_first:
      return "own-rank-first";
  }
  return "";
}

std::string_view name(Scaling scaling) {
  switch (scaling) {
    case Scaling::divide_after:
      return "divide-after";
    case Scaling::divide_before:
      return "divide-before";
    case Scaling::weight_by_count:
      return "weight-by-count";
    case Scaling::sum_over_count:
      return "sum-over-count";
    case Scaling::mean_of_means:
      return "mean-of-means";
    case Scaling::sum_of_means:
      return "sum-of-means";
    case Scaling::none:
      return "sum";
  }
  return "";
}

std::span<const Topology> named_topologies() { return kTopologies; }
std::span<const Scaling> named_scalings() { return kScalings; }

Claim claim_of(const Strategy& strategy) {
  Claim claim;
  switch (strategy.scaling) {
    case Scaling::divide_after:
    case Scaling::divide_before:
    case Scaling::mean_of_means:
      claim.conditions = {Condition::equal};
      break;
    case Scaling::sum_of_means:
      claim.max_world = 1;
      break;
    case Scaling::sum_over_count:
      claim.input = InputForm::local_sum;
      break;
    case Scaling::none:
      claim.target = Target::sum;
      break;
    case Scaling::weight_by_count:
      break;
  }
  claim.accumulate = strategy.accumulate;
  claim.accumulates_in_16_bits = !strategy.accumulate;
  claim.wire = strategy.wire;
  claim.gradient = strategy.gradient;
  claim.roundings = roundings(strategy);
  claim.accumulation = strategy.micro_batches;
  claim.summation =
      strategy.micro_batches == Accumulation::running_mean ? Summation::any : Summation::tree;
  claim.padding = PaddingContent::any;
  claim.order_fixed = true;
  claim.equal_bits = strategy.topology != Topology::own_rank_first;
  return claim;
}

Strategy parse_strategy(std::string_view text) {
  const std::vector<std::string_view> parts = parts_of(text);
  Strategy strategy;
  strategy.topology = parse_part(text, parts[0], "topology", kTopologies);
  if (parts.size() > 1) strategy.scaling = parse_part(text, parts[1], "scaling", kScalings);
  std::size_t next = 2;
  if (parts.size() > 2 && !is_role(parts[2])) {
    strategy.accumulate = parse_accumulate(text, parts[2]);
    next = 3;
  }
  for (; next < parts.size(); ++next) parse_role(text, parts[next], strategy);
  return strategy;
}

std::string name(const Strategy& strategy) {
  std::string text(name(strategy.topology));
  const bool more = strategy.accumulate || strategy.wire || strategy.gradient;
  if (strategy.scaling != Scaling::weight_by_count || more) {
    text.append(":").append(name(strategy.scaling));
  }
  if (strategy.accumulate) text.append(":").append(name(*strategy.accumulate));
  if (strategy.wire) text.append(":").append(kWire).append(name(*strategy.wire));
  if (strategy.gradient) text.append(":").append(kGradient).append(name(*strategy.gradient));
  return text;
}

}  // namespace shardproof
