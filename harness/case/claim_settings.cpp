#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <span>

#include "case/claim_names.h"
#include "case/claim_sizes.h"
#include "shardproof/case/claim.h"
#include "shardproof/case/claim_presets.h"
#include "shardproof/case/claim_setting.h"
#include "shardproof/case/error.h"

namespace shardproof {
namespace {

/// One key of the settings: how to read and write its field.
struct Setting {
  std::string_view key;
  std::string allowed;                                       ///< for messages
  std::function<bool(Claim&, std::string_view value)> read;  ///< false: not an allowed value
  std::function<std::string(const Claim&)> write;
};

template <class T, std::size_t N>
Setting choice(std::string_view key, T Claim::*field, const std::array<Named<T>, N>& names) {
  std::string allowed;
  for (const Named<T>& named : names) {
    if (!allowed.empty()) allowed += ", ";
    allowed += named.name;
  }
  return {.key = key,
          .allowed = allowed,
          .read =
              [field, &names](Claim& claim, std::string_view text) {
                for (const Named<T>& named : names) {
                  if (named.name != text) continue;
                  claim.*field = named.value;
                  return true;
                }
                return false;
              },
          .write = [field, &names](
                       const Claim& claim) { return std::string(name_of(names, claim.*field)); }};
}

/// The same of a field of the shapes.
template <class T, std::size_t N>
Setting choice_of_shapes(std::string_view key, T Shapes::*field,
                         const std::array<Named<T>, N>& names) {
  std::string allowed;
  for (const Named<T>& named : names)
    allowed.append(allowed.empty() ? "" : ", ").append(named.name);
  return {.key = key,
          .allowed = allowed,
          .read =
              [field, &names](Claim& claim, std::string_view text) {
                const auto found = std::ranges::find(names, text, &Named<T>::name);
                if (found != names.end()) claim.shapes.*field = found->value;
                return found != names.end();
              },
          .write =
              [field, &names](const Claim& claim) {
                return std::string(name_of(names, claim.shapes.*field));
              }};
}

bool read_conditions(Claim& claim, std::string_view text) {
  ConditionSet found;
  while (true) {
    const std::size_t plus = text.find('+');
    const std::optional<Condition> condition = parse_condition(text.substr(0, plus));
    if (!condition) return false;
    found.insert(*condition);
    if (plus == std::string_view::npos) break;
    text.remove_prefix(plus + 1);
  }
  claim.conditions = found;
  return true;
}

std::string write_conditions(const Claim& claim) {
  std::string text;
  for (Condition condition : kAllConditions) {
    if (!claim.conditions.contains(condition)) continue;
    if (!text.empty()) text += '+';
    text += name(condition);
  }
  return text;
}

bool read_only_dtype(Claim& claim, std::string_view text) {
  const std::optional<Dtype> dtype = parse_dtype(text);
  if (!dtype && text != "any") return false;
  claim.only_dtype = dtype;
  return true;
}

/// `unsaid`, `case` (as the contributions, 16 bits too) or a dtype.
bool read_accumulate(Claim& claim, std::string_view text) {
  const std::optional<Dtype> dtype = parse_dtype(text);
  if (!dtype && text != "case" && text != "unsaid") return false;
  claim.accumulate = dtype;
  claim.accumulates_in_16_bits = text == "case";
  return true;
}

std::string write_accumulate(const Claim& claim) {
  if (claim.accumulate) return std::string(name(*claim.accumulate));
  return claim.accumulates_in_16_bits ? "case" : "unsaid";
}

/// A role whose dtype has the word `otherwise` where it is not said.
Setting role(std::string_view key, std::optional<Dtype> Claim::*field, std::string_view otherwise,
             const std::string& dtypes) {
  return {.key = key,
          .allowed = std::string(otherwise) + dtypes,
          .read =
              [field, otherwise](Claim& claim, std::string_view text) {
                const std::optional<Dtype> dtype = parse_dtype(text);
                if (!dtype && text != otherwise) return false;
                claim.*field = dtype;
                return true;
              },
          .write =
              [field, otherwise](const Claim& claim) {
                return std::string(claim.*field ? name(*(claim.*field)) : otherwise);
              }};
}

constexpr int kMostRoundings = 1000;
constexpr int kMostLevels = 64;

bool read_roundings(Claim& claim, std::string_view text) {
  const std::optional<int> number = whole_number(text, 0, kMostRoundings);
  if (!number && text != "any") return false;
  claim.roundings = number;
  return true;
}

bool read_levels(Claim& claim, std::string_view text) {
  const std::optional<int> number = whole_number(text, 1, kMostLevels);
  claim.levels = number.value_or(claim.levels);
  return number.has_value();
}

std::vector<Setting> make_settings() {
  std::vector<Setting> all;
  all.push_back(choice("target", &Claim::target, kTargets));
  all.push_back(choice("input", &Claim::input, kInputs));
  all.push_back(choice("result", &Claim::result, kResults));
  all.push_back({"conditions", "equal, unequal, padded, empty, joined by +", read_conditions,
                 write_conditions});
  all.push_back({"world",
                 "A..B within 1.." + std::to_string(kMaxWorldSize) + ", or several joined by +",
                 read_worlds, write_worlds});
  for (const SizeField& field : size_fields()) {
    all.push_back(
        {field.key, allowed_ranges(field),
         [&field](Claim& claim, std::string_view text) { return read_range(claim, field, text); },
         [&field](const Claim& claim) { return write_range(claim, field); }});
  }
  all.push_back(choice_of_shapes("bias", &Shapes::biases, kBiases));
  all.push_back(choice_of_shapes("absent", &Shapes::absent, kYesNo));
  std::string dtypes;
  for (Dtype dtype : all_dtypes()) (dtypes += ", ") += name(dtype);
  all.push_back({"dtype", "any" + dtypes, read_only_dtype, [](const Claim& claim) {
                   return std::string(claim.only_dtype ? name(*claim.only_dtype) : "any");
                 }});
  all.push_back({"accumulate", "unsaid, case" + dtypes, read_accumulate, write_accumulate});
  all.push_back(role("multiply", &Claim::multiply, "usual", dtypes));
  all.push_back(role("gradient", &Claim::gradient, "case", dtypes));
  all.push_back(role("wire", &Claim::wire, "none", dtypes));
  all.push_back(role("output", &Claim::output, "gradient", dtypes));
  all.push_back(role("count", &Claim::count, "exact", dtypes));
  all.push_back(role("master", &Claim::master, "none", dtypes));
  all.push_back({"roundings", "any, or a number from 0 to " + std::to_string(kMostRoundings),
                 read_roundings, [](const Claim& claim) {
                   return claim.roundings ? std::to_string(*claim.roundings) : "any";
                 }});
  all.push_back({"levels", "a number from 1 to " + std::to_string(kMostLevels), read_levels,
                 [](const Claim& claim) { return std::to_string(claim.levels); }});
  all.push_back(choice("summation", &Claim::summation, kSummations));
  all.push_back(choice("accumulation", &Claim::accumulation, kAccumulations));
  all.push_back(choice("rounding", &Claim::rounding, kRoundings));
  all.push_back(choice("flush", &Claim::flush, kFlushes));
  all.push_back(choice("padding", &Claim::padding, kPaddings));
  all.push_back(choice("all-empty", &Claim::all_empty, kAllEmpties));
  all.push_back(choice("update", &Claim::update, kUpdates));
  all.push_back(choice("order-fixed", &Claim::order_fixed, kYesNo));
  all.push_back(choice("equal-bits", &Claim::equal_bits, kYesNo));
  all.push_back(choice("inputs-overwritten", &Claim::inputs_overwritten, kYesNo));
  return all;
}

const std::vector<Setting>& all_settings() {
  static const std::vector<Setting> all = make_settings();
  return all;
}

const Setting& setting_named(std::string_view key) {
  std::string keys;
  for (const Setting& setting : all_settings()) {
    if (setting.key == key) return setting;
    if (!keys.empty()) keys += ", ";
    keys += setting.key;
  }
  throw InputError("claim", "unknown key `" + std::string(key) + "`; keys are " + keys);
}

constexpr std::string_view kPresetKey = "preset=";

void apply(Claim& claim, std::string_view entry, std::set<std::string_view>& seen) {
  const std::size_t equals = entry.find('=');
  if (entry.starts_with(kPresetKey)) throw InputError("claim", "preset: has to come first");
  if (equals == std::string_view::npos) {
    throw InputError("claim", "`" + std::string(entry) + "` is not KEY=VALUE");
  }
  const Setting& setting = setting_named(entry.substr(0, equals));
  const std::string_view value = entry.substr(equals + 1);
  if (!seen.insert(setting.key).second) {
    throw InputError("claim", std::string(setting.key) + ": is given twice");
  }
  if (setting.read(claim, value)) return;
  throw InputError("claim", std::string(setting.key) + ": `" + std::string(value) +
                                "` is not allowed; allowed: " + setting.allowed);
}

/// Takes `preset=NAME` from the front of the settings. Further keys override what it sets.
void apply_preset(Claim& claim, std::string_view& settings) {
  if (!settings.starts_with(kPresetKey)) return;
  const std::size_t comma = settings.find(',');
  const std::string_view name = settings.substr(0, comma).substr(kPresetKey.size());
  const std::optional<ClaimPreset> preset = find_claim_preset(name);
  if (!preset) {
    std::string known;
    for (const ClaimPreset& each : claim_presets()) {
      known.append(known.empty() ? "" : ", ").append(each.name);
    }
    throw InputError("claim", "preset: `" + std::string(name) + "` is unknown; known: " + known);
  }
  claim = with_settings(std::move(claim), preset->settings);
  settings = comma == std::string_view::npos ? "" : settings.substr(comma + 1);
  if (comma != std::string_view::npos && settings.empty()) {
    throw InputError("claim", "ends in a comma");
  }
}

}  // namespace

Claim with_settings(Claim claim, std::string_view settings) {
  apply_preset(claim, settings);
  std::set<std::string_view> seen;
  while (!settings.empty()) {
    const std::size_t comma = settings.find(',');
    apply(claim, settings.substr(0, comma), seen);
    if (comma == std::string_view::npos) break;
    settings.remove_prefix(comma + 1);
    if (settings.empty()) throw InputError("claim", "ends in a comma");
  }
  validate(claim);
  return claim;
}

std::string settings(const Claim& claim) {
  std::string text;
  for (const Setting& setting : all_settings()) {
    if (!text.empty()) text += ',';
    text += std::string(setting.key) + "=" + setting.write(claim);
  }
  return text;
}

std::string setting(const Claim& claim, std::string_view key) {
  return setting_named(key).write(claim);
}

std::vector<ClaimField> claim_fields() {
  std::vector<ClaimField> fields;
  for (const Setting& setting : all_settings()) {
    fields.push_back({std::string(setting.key), setting.write(Claim{}), setting.allowed});
  }
  return fields;
}

}  // namespace shardproof
