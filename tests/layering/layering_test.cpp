// The layering of DESIGN.md 3, read from the #include lines of every source.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

/// Path below the top of the repository -> text.
using Sources = std::map<std::string, std::string>;

// A folder or a room may include only what stands left of it, and itself.
constexpr std::array<std::string_view, 5> kFolders{"harness", "generators", "properties", "cli",
                                                   "tests"};
constexpr std::array<std::string_view, 6> kRooms{"case",    "exact", "world",
                                                 "subject", "judge", "run"};

struct Include {
  std::string target;
  bool quoted = false;
};

/// Where a file stands: `harness/include/shardproof/exact/rational.h` and `harness/exact/limbs.h`
/// both stand in folder `harness`, room `exact`.
struct Place {
  std::string folder;
  std::string room;  ///< of the harness; else empty
  bool is_public = false;
};

template <std::size_t N>
std::optional<std::size_t> position(const std::array<std::string_view, N>& order,
                                    std::string_view name) {
  const auto found = std::find(order.begin(), order.end(), name);
  if (found == order.end()) return std::nullopt;
  return static_cast<std::size_t>(found - order.begin());
}

Place place_of(const std::string& path) {
  std::vector<std::string> parts;
  for (const auto& part : std::filesystem::path(path)) parts.push_back(part.string());
  Place place{
      .folder = parts[0], .room = {}, .is_public = parts.size() > 1 && parts[1] == "include"};
  const std::size_t room = place.is_public ? 3 : 1;
  if (place.folder == "harness" && parts.size() > room + 1) place.room = parts[room];
  return place;
}

std::vector<Include> includes_of(const std::string& text) {
  std::vector<Include> includes;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::erase_if(line, [](char c) { return c == ' ' || c == '\t' || c == '\r'; });
    constexpr std::string_view kDirective = "#include";
    if (!line.starts_with(kDirective) || line.size() <= kDirective.size()) continue;
    const bool quoted = line[kDirective.size()] == '"';
    const std::size_t begin = kDirective.size() + 1;
    const std::size_t end = line.find(quoted ? '"' : '>', begin);
    if (end != std::string::npos) {
      includes.push_back({.target = line.substr(begin, end - begin), .quoted = quoted});
    }
  }
  return includes;
}

bool is_header(const std::string& path) { return path.ends_with(".h"); }

bool names(const Include& include, std::initializer_list<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return include.target.starts_with(prefix); });
}

/// The source that a quoted include means, looked for as the build does.
std::optional<std::string> resolve(const Sources& sources, const std::string& from,
                                   const std::string& target) {
  const Place place = place_of(from);
  std::vector<std::string> candidates;
  if (target.starts_with("shardproof/")) {
    for (std::string_view folder : kFolders) {
      candidates.push_back(std::string(folder) + "/include/" + target);
    }
  } else {
    candidates = {std::filesystem::path(from).replace_filename(target).lexically_normal().string(),
                  place.folder + "/" + target};
    if (place.folder == "tests") candidates.push_back("harness/" + target);
  }
  for (const std::string& candidate : candidates) {
    if (sources.contains(candidate)) return candidate;
  }
  return std::nullopt;
}

/// What is wrong with including one of our own sources; empty when nothing is.
std::string own_violation(const Sources& sources, const std::string& from, const Include& include) {
  const std::optional<std::string> to = resolve(sources, from, include.target);
  if (!to) return "stands nowhere in " + place_of(from).folder + "/ nor in a public folder";
  const Place a = place_of(from);
  const Place b = place_of(*to);
  if (position(kFolders, b.folder) > position(kFolders, a.folder)) {
    return b.folder + "/ stands right of " + a.folder + "/";
  }
  if (a.folder == "harness" && b.folder == "harness") {
    if (position(kRooms, b.room) > position(kRooms, a.room)) {
      return "room " + b.room + "/ stands below " + a.room + "/";
    }
    if (a.is_public && !b.is_public) return "a public header includes a private one";
  }
  return {};
}

/// What is wrong with including a library; empty when nothing is.
std::string library_violation(const std::string& from, const Include& include) {
  const std::string folder = place_of(from).folder;
  const bool tests = folder == "tests";
  if (names(include, {"rapidcheck"}) && folder != "generators" && !tests) {
    return "RapidCheck belongs to generators/ and tests/";
  }
  if (names(include, {"Eigen/", "unsupported/Eigen", "boost/"}) && is_header(from) && !tests) {
    return "Eigen and Boost stay inside .cpp files";
  }
  if (names(include, {"nlohmann/"}) && is_header(from) && !tests) return "JSON stays inside a .cpp";
  if (names(include, {"CLI/"}) && (folder != "cli" || is_header(from))) {
    return "arguments are parsed in a .cpp of cli/";
  }
  if (names(include, {"gtest/", "gmock/"}) && !tests &&
      from != "properties/include/shardproof/properties/gtest.h") {
    return "GoogleTest belongs to tests/ and the header made for it";
  }
  return {};
}

/// Libraries that one .cpp of a folder may include, since they are slow to compile.
std::vector<std::string> repeated_violations(const Sources& sources) {
  std::vector<std::string> violations;
  std::map<std::string, std::set<std::string>> users;
  for (const auto& [path, text] : sources) {
    const std::string folder = place_of(path).folder;
    if (folder == "tests") continue;
    for (const Include& include : includes_of(text)) {
      for (std::string_view library : {"CLI/", "nlohmann/"}) {
        if (names(include, {library})) users[folder + "/: " + std::string(library)].insert(path);
      }
    }
  }
  for (const auto& [library, paths] : users) {
    if (paths.size() < 2) continue;
    std::string message = library + " is included by more than one source:";
    for (const std::string& path : paths) message += " " + path;
    violations.push_back(message);
  }
  return violations;
}

std::vector<std::string> violations(const Sources& sources) {
  std::vector<std::string> found = repeated_violations(sources);
  for (const auto& [path, text] : sources) {
    for (const Include& include : includes_of(text)) {
      std::string why;
      if (include.target.starts_with('/')) why = "an absolute path";
      if (why.empty()) why = library_violation(path, include);
      if (why.empty() && include.quoted) why = own_violation(sources, path, include);
      if (!why.empty()) found.push_back(path + ": " + include.target + ": " + why);
    }
  }
  return found;
}

Sources repository() {
  const std::filesystem::path top = SHARDPROOF_SOURCE_DIR;
  Sources sources;
  for (std::string_view folder : kFolders) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(top / folder)) {
      const std::filesystem::path& path = entry.path();
      if (path.extension() != ".h" && path.extension() != ".cpp") continue;
      std::ostringstream text;
      text << std::ifstream(path, std::ios::binary).rdbuf();
      sources[path.lexically_relative(top).generic_string()] = text.str();
    }
  }
  return sources;
}

/// The violations when `from` holds one line that includes `what`, in a tree of a few files.
std::vector<std::string> planted(const std::string& from, const std::string& what) {
  Sources sources{{"harness/include/shardproof/case/case.h", ""},
                  {"harness/include/shardproof/exact/rational.h", ""},
                  {"harness/include/shardproof/run/run.h", ""},
                  {"harness/exact/limbs.h", ""},
                  {"generators/include/shardproof/generators/cases.h", ""},
                  {"properties/include/shardproof/properties/suite.h", ""},
                  {"cli/options.h", ""},
                  {"cli/check.cpp", "#include <CLI/CLI.hpp>\n"},
                  {"tests/oracle/naive.h", ""}};
  sources[from] = "#pragma once\n  #  include " + what + "  // why\n";
  return violations(sources);
}

struct Planted {
  std::string from;
  std::string what;
  std::string why;
};

TEST(Layering, EverySourceIncludesOnlyWhatStandsLeftOfIt) {
  const Sources sources = repository();
  ASSERT_TRUE(sources.contains("harness/include/shardproof/case/case.h"));
  std::string all;
  for (const std::string& violation : violations(sources)) all += violation + "\n";
  EXPECT_EQ(all, "");
}

TEST(Layering, EveryPlantedViolationIsFound) {
  const std::string judge = "harness/judge/judge.cpp";
  const std::vector<Planted> cases{
      {judge, "\"shardproof/generators/cases.h\"", "generators/ stands right of harness/"},
      {"generators/cases.cpp", "\"shardproof/properties/suite.h\"", "properties/ stands right"},
      {"properties/suite.cpp", "\"options.h\"", "stands nowhere"},
      {"properties/suite.cpp", "\"exact/limbs.h\"", "stands nowhere"},
      {"properties/suite.cpp", "\"../cli/options.h\"", "cli/ stands right of properties/"},
      {"cli/main.cpp", "\"oracle/naive.h\"", "stands nowhere"},
      {judge, "\"shardproof/run/run.h\"", "room run/ stands below judge/"},
      {"harness/include/shardproof/case/tree.h", "\"shardproof/exact/rational.h\"",
       "room exact/ stands below case/"},
      {"harness/case/case.cpp", "\"exact/limbs.h\"", "room exact/ stands below case/"},
      {"harness/include/shardproof/exact/sum.h", "\"exact/limbs.h\"", "includes a private one"},
      {judge, "<rapidcheck.h>", "RapidCheck belongs"},
      {"cli/main.cpp", "<rapidcheck/gtest.h>", "RapidCheck belongs"},
      {"harness/exact/limbs.h", "<boost/multiprecision/cpp_int.hpp>", "Eigen and Boost"},
      {"generators/models.h", "<Eigen/Core>", "Eigen and Boost"},
      {"harness/run/json.h", "<nlohmann/json.hpp>", "JSON stays inside"},
      {judge, "<CLI/CLI.hpp>", "arguments are parsed"},
      {"cli/main.cpp", "<CLI/CLI.hpp>", "included by more than one source"},
      {judge, "<gtest/gtest.h>", "GoogleTest belongs"},
      {judge, "\"/usr/include/math.h\"", "an absolute path"},
      {judge, "</usr/include/math.h>", "an absolute path"},
  };
  for (const Planted& plant : cases) {
    const std::vector<std::string> found = planted(plant.from, plant.what);
    ASSERT_EQ(found.size(), 1U) << plant.from << " includes " << plant.what;
    EXPECT_NE(found[0].find(plant.why), std::string::npos) << found[0];
  }
}

TEST(Layering, WhatTheDesignAllowsIsNotFound) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"harness/run/run.cpp", "\"shardproof/case/case.h\""},
      {"harness/exact/limbs.cpp", "\"exact/limbs.h\""},
      {"harness/exact/limbs.cpp", "\"limbs.h\""},
      {"harness/exact/limbs.cpp", "<boost/multiprecision/cpp_int.hpp>"},
      {"generators/cases.cpp", "<rapidcheck/Gen.h>"},
      {"cli/main.cpp", "\"options.h\""},
      {"cli/main.cpp", "<nlohmann/json.hpp>"},
      {"tests/harness/exact/limbs_test.cpp", "\"exact/limbs.h\""},
      {"tests/harness/exact/limbs_test.cpp", "\"oracle/naive.h\""},
      {"tests/harness/exact/limbs_test.cpp", "<rapidcheck.h>"},
  };
  for (const auto& [from, what] : cases) {
    EXPECT_EQ(planted(from, what), std::vector<std::string>{}) << from << " includes " << what;
  }
}

}  // namespace
