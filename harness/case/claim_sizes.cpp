#include "case/claim_sizes.h"

#include <charconv>

namespace shardproof {
namespace {

constexpr Shapes kAllShapes{};

/// `A..B` or `A`.
std::optional<SizeRange> parse_range(std::string_view text, const SizeRange& limits) {
  const std::size_t dots = text.find("..");
  const auto low = whole_number(text.substr(0, dots), limits.low, limits.high);
  const auto high = dots == std::string_view::npos
                        ? low
                        : whole_number(text.substr(dots + 2), limits.low, limits.high);
  if (!low || !high || *low > *high) return std::nullopt;
  return SizeRange{*low, *high};
}

std::string text(const SizeRange& range) {
  return std::to_string(range.low) + ".." + std::to_string(range.high);
}

/// The claimed world sizes as ranges without gaps, in ascending order.
std::vector<SizeRange> runs(const Claim& claim) {
  std::vector<SizeRange> found;
  for (int world = claim.min_world; world <= claim.max_world; ++world) {
    if (!claim.takes_world(world)) continue;
    if (!found.empty() && found.back().high + 1 == world) {
      found.back().high = world;
    } else {
      found.push_back({world, world});
    }
  }
  return found;
}

}  // namespace

std::optional<int> whole_number(std::string_view text, int smallest, int largest) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if (value < smallest || value > largest) return std::nullopt;
  return value;
}

bool read_worlds(Claim& claim, std::string_view text) {
  std::bitset<kMaxWorldSize + 1> taken;
  while (true) {
    const std::size_t plus = text.find('+');
    const std::optional<SizeRange> range = parse_range(text.substr(0, plus), {1, kMaxWorldSize});
    if (!range) return false;
    for (int world = range->low; world <= range->high; ++world) {
      taken.set(static_cast<std::size_t>(world));
    }
    if (plus == std::string_view::npos) break;
    text.remove_prefix(plus + 1);
  }
  claim.set_worlds(taken);
  return true;
}

std::string write_worlds(const Claim& claim) {
  const std::vector<SizeRange> all = runs(claim);
  if (all.size() == 1) return text(all.front());
  std::string joined;
  for (const SizeRange& run : all) {
    if (!joined.empty()) joined += '+';
    joined += run.low == run.high ? std::to_string(run.low) : text(run);
  }
  return joined;
}

const std::vector<SizeField>& size_fields() {
  static const std::vector<SizeField> fields{
      {"rows", &Shapes::rows},         {"micro-batches", &Shapes::micro_batches},
      {"features", &Shapes::features}, {"outputs", &Shapes::outputs},
      {"layers", &Shapes::layers},     {"steps", &Shapes::steps}};
  return fields;
}

bool read_range(Claim& claim, const SizeField& field, std::string_view text) {
  const SizeRange all = kAllShapes.*field.range;
  const std::optional<SizeRange> range = text == "any" ? all : parse_range(text, all);
  if (range) claim.shapes.*field.range = *range;
  return range.has_value();
}

std::string write_range(const Claim& claim, const SizeField& field) {
  const SizeRange& range = claim.shapes.*field.range;
  return range == kAllShapes.*field.range ? "any" : text(range);
}

std::string allowed_ranges(const SizeField& field) {
  return "any, or A..B within " + text(kAllShapes.*field.range);
}

}  // namespace shardproof
