#include <fmt/format.h>

#include <cmath>

#include "shardproof/properties/soak.h"

namespace shardproof {
namespace {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::string number(double value) {
  if (std::isnan(value)) return "\"NaN\"";
  if (std::isinf(value)) return value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  return fmt::format("{}", value);
}

template <class T, class Write>
std::string array(const std::vector<T>& items, Write write) {
  std::string out;
  for (const T& item : items) out += (out.empty() ? "" : ", ") + write(item);
  return '[' + out + ']';
}

}  // namespace

std::string to_json(const SoakRefutation& refutation, std::uint64_t seed) {
  if (refutation.counterexample) return to_json(*refutation.counterexample);
  const Failure& failure = refutation.failure;
  const auto counts = array(refutation.counts, [](const auto& rank) {
    return array(rank, [](std::int64_t count) { return fmt::format("{}", count); });
  });
  const auto terms = array(refutation.terms, [](const auto& rank) { return array(rank, number); });
  return fmt::format(
      "{{\n  \"format\": \"shardproof.soak\",\n  \"version\": 1,\n  \"seed\": {},\n"
      "  \"batch\": {},\n  \"reduction\": {},\n  \"claim\": {},\n  \"dtype\": {},\n"
      "  \"counts\": {},\n  \"terms\": {},\n  \"returned\": {},\n  \"exact\": {},\n"
      "  \"limit\": {},\n  \"failure\": {}\n}}\n",
      seed, refutation.batch, quoted(refutation.what), quoted(settings(refutation.claim)),
      quoted(name(refutation.dtype)), counts, terms, number(failure.returned.value_or(NAN)),
      quoted(failure.exact), quoted(failure.limit), quoted(failure.sentence));
}

}  // namespace shardproof
