#include "shardproof/run/counterexample.h"

#include <climits>
#include <cstdint>

#include "case/case_json.h"
#include "case/json_reader.h"
#include "case/json_text.h"
#include "judge/given.h"
#include "shardproof/case/error.h"

namespace shardproof {
namespace {

constexpr std::string_view kFormat = "shardproof.case";
constexpr std::int64_t kVersion = 1;

void read_format(JsonReader& reader) {
  if (reader.string() != kFormat) {
    reader.refuse("is another format; known: " + std::string(kFormat));
  }
}

void read_version(JsonReader& reader) {
  const std::int64_t version = reader.integer(INT64_MIN, INT64_MAX);
  if (version == kVersion) return;
  reader.refuse("is " + std::to_string(version) + "; this program reads version " +
                std::to_string(kVersion));
}

// The settings are kept as text, so that a file outlives the fields of today's claim; what they
// admit is checked here all the same.
Claim checked_claim(const Counterexample& read, std::string_view place) {
  try {
    Claim claim = with_settings(Claim{}, read.claim);
    if (const auto why = excluded_by(claim, read.problem)) {
      throw InputError("", "the case lies outside it: " + *why);
    }
    return claim;
  } catch (const InputError& error) {
    throw InputError(std::string(place) + ": claim", error.what());
  }
}

void check_contributions(const Case& problem, const Claim& claim, std::string_view place) {
  try {
    check_given(problem, claim.input, role_dtypes(claim, problem.dtype).gradient);
  } catch (const InputError& error) {
    throw InputError(std::string(place) + ": case", error.what());
  }
}

}  // namespace

std::string to_json(const Counterexample& counterexample) {
  std::string out = "{\n";
  const auto member = [&out](std::string_view key, const std::string& value) {
    out += "  " + json_string(key) + ": " + value + ",\n";
  };
  member("format", json_string(kFormat));
  member("version", std::to_string(kVersion));
  member("subject", json_string(counterexample.subject));
  member("property", json_string(counterexample.property));
  member("claim", json_string(counterexample.claim));
  member("seed", std::to_string(counterexample.seed));
  member("case_index", std::to_string(counterexample.case_index));
  member("shrunk", counterexample.shrunk ? "true" : "false");
  member("failure", json_string(counterexample.failure));
  return out + "  \"case\": " + case_json(counterexample.problem, 2) + "\n}\n";
}

Counterexample parse_counterexample(std::string_view text, std::string_view place) {
  JsonReader reader(text, place);
  Counterexample read;
  reader.object({
      {"format", [&] { read_format(reader); }},
      {"version", [&] { read_version(reader); }},
      {"subject", [&] { read.subject = reader.string(); }},
      {"property", [&] { read.property = reader.string(); }},
      {"claim", [&] { read.claim = reader.string(); }},
      {"seed", [&] { read.seed = reader.natural(); }},
      {"case_index", [&] { read.case_index = static_cast<int>(reader.integer(0, INT32_MAX)); }},
      {"shrunk", [&] { read.shrunk = reader.boolean(); }},
      {"failure", [&] { read.failure = reader.string(); }},
      {"case", [&] { read.problem = read_case(reader); }},
  });
  reader.end();
  try {
    validate(read.problem);
  } catch (const InputError& error) {
    throw InputError(place, error.what());
  }
  check_contributions(read.problem, checked_claim(read, place), place);
  return read;
}

}  // namespace shardproof
