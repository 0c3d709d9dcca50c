#include "shardproof/properties/registry.h"

#include <string>

#include "catalogue.h"
#include "shardproof/case/error.h"

namespace shardproof {
namespace {

/// Whether `text` matches a glob of `*` (any run) and `?` (any character).
bool glob_matches(std::string_view glob, std::string_view text) {
  std::size_t g = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;  // the last `*` seen, and where its run ends
  std::size_t run_end = 0;
  while (t < text.size()) {
    if (g < glob.size() && (glob[g] == '?' || glob[g] == text[t]) && glob[g] != '*') {
      ++g;
      ++t;
    } else if (g < glob.size() && glob[g] == '*') {
      star = g++;
      run_end = t;
    } else if (star != std::string_view::npos) {
      g = star + 1;
      t = ++run_end;
    } else {
      return false;
    }
  }
  return glob.find_first_not_of('*', g) == std::string_view::npos;
}

std::string all_names() {
  std::string names;
  for (const Property& property : all_properties()) {
    names += (names.empty() ? "" : ", ") + property.name;
  }
  return names;
}

std::vector<std::string_view> split(std::string_view globs) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t comma = globs.find(',');
    parts.push_back(globs.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    globs.remove_prefix(comma + 1);
  }
}

}  // namespace

std::span<const Property> all_properties() {
  static const std::vector<Property> properties{
      matches_reference(),    ranks_agree(),
      repeatable(),           inputs_untouched(),
      padding_is_invisible(), all_empty_gives_no_number(),
      loss_is_pre_update(),   count_and_norm_are_true(),
      one_update_per_leaf(),  equal_shards(),
      unequal_counts(),       masked_count(),
      empty_rank(),           single_rank(),
      micro_batches(),        second_step(),
      many_leaves(),          learning_rate_moves_only_parameters()};
  return properties;
}

std::vector<Property> matching_properties(std::string_view globs) {
  const std::vector<std::string_view> parts = split(globs);
  std::vector<bool> used(parts.size(), false);
  std::vector<Property> matching;
  for (const Property& property : all_properties()) {
    bool matches = false;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (!glob_matches(parts[i], property.name)) continue;
      matches = true;
      used[i] = true;
    }
    if (matches) matching.push_back(property);
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (used[i]) continue;
    throw InputError("property",
                     "'" + std::string(parts[i]) + "' matches none; known are " + all_names());
  }
  return matching;
}

}  // namespace shardproof
