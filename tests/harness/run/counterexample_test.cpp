#include "shardproof/run/counterexample.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "case/json_text.h"
#include "shardproof/case/error.h"

namespace shardproof {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNan = std::numeric_limits<double>::quiet_NaN();

// Two steps, two ranks, two micro-batches, two layers, padding of every kind, an absent layer.
Case full_case() {
  const MicroBatch rows{{1, 0.1, -0.0, 5e-324}, {1e300, 2, 3, 4, 5, 6}, {1, 1}, {0, 1}};
  const MicroBatch padding{{kNan, kInfinity}, {-kInfinity, 1.5, 2}, {0}, {}};
  const MicroBatch none{};
  const Step step{{Shard{{rows, none}}, Shard{{padding, rows}}}};
  Case problem;
  problem.model = {2, {{1, true}, {2, false}}, {1, 2, 1.0 / 3, 4, 5, 6, -7e-10}};
  problem.steps = {step, step};
  problem.mesh = {{{"data", 2}}};
  problem.dtype = Dtype::f64;
  problem.learning_rate = 0.1;
  problem.arrival = {1, 0};
  return with_contributions(std::move(problem), InputForm::local_mean);
}

Counterexample full() {
  return {.problem = full_case(),
          .subject = "ring:divide-before",
          .property = "matches_reference",
          .claim = "target=weighted-mean,padding=any",
          .seed = std::numeric_limits<std::uint64_t>::max(),
          .case_index = 7,
          .shrunk = true,
          .failure = "a \"sentence\"\nwith \\ and \x01 and \xC3\xA9 in it"};
}

// The line with which a text is refused; empty when it is read.
std::string refusal(std::string_view text) {
  try {
    parse_counterexample(text, "a.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string with(std::string text, std::string_view what, std::string_view instead) {
  const auto at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return at == std::string::npos ? text : text.replace(at, what.size(), instead);
}

std::string changed(std::string_view what, std::string_view instead) {
  return with(to_json(full()), what, instead);
}

TEST(CounterexampleFile, ReadsBackToTheSameBits) {
  const Counterexample before = full();
  const Counterexample after = parse_counterexample(to_json(before), "a.json");
  EXPECT_TRUE(after.problem == before.problem);
  ASSERT_TRUE(after.problem.given);
  EXPECT_EQ(*after.problem.given, *before.problem.given);
  EXPECT_EQ(after.subject, before.subject);
  EXPECT_EQ(after.property, before.property);
  EXPECT_EQ(after.claim, before.claim);
  EXPECT_EQ(after.seed, before.seed);
  EXPECT_EQ(after.case_index, before.case_index);
  EXPECT_EQ(after.shrunk, before.shrunk);
  EXPECT_EQ(after.failure, before.failure);
  EXPECT_EQ(to_json(after), to_json(before));
}

TEST(CounterexampleFile, EveryNumberReadsBackToTheSameBits) {
  std::mt19937_64 random(1);
  Counterexample example = full();
  for (int i = 0; i < 20000; ++i) {
    const double value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    const auto read = nlohmann::json::parse("[" + json_number(value) + "]");
    EXPECT_EQ(std::bit_cast<std::uint64_t>(read[0].get<double>()),
              std::bit_cast<std::uint64_t>(value));
    if (i % 100 != 0) continue;
    example.problem.model.parameters[0] = value;
    example.problem.given = nullptr;
    const Counterexample back = parse_counterexample(to_json(example), "a.json");
    EXPECT_TRUE(back.problem == example.problem) << value;
  }
}

TEST(CounterexampleFile, IsJsonToAnotherReader) {
  const auto document = nlohmann::json::parse(to_json(full()));
  EXPECT_EQ(document["format"], "shardproof.case");
  EXPECT_EQ(document["version"], 1);
  EXPECT_EQ(document["failure"], full().failure);
  EXPECT_EQ(document["case"]["steps"][1]["shards"][1]["micro_batches"][0]["x"][0][0], "NaN");
}

TEST(CounterexampleFile, ReadsTheSameDocumentLaidOutByAnotherWriter) {
  const std::string sorted = nlohmann::json::parse(to_json(full())).dump();
  EXPECT_TRUE(parse_counterexample(sorted, "a.json").problem == full_case());
}

TEST(CounterexampleFile, CutOffAnywhereIsRefused) {
  const std::string text = to_json(full());
  for (std::size_t length = 0; length + 1 < text.size(); ++length) {
    EXPECT_NE(refusal(text.substr(0, length)), "") << length;
  }
}

TEST(CounterexampleFile, AnythingBehindItIsRefused) {
  EXPECT_EQ(refusal(to_json(full()) + "  \n"), "");
  EXPECT_NE(refusal(to_json(full()) + "{}"), "");
  EXPECT_NE(refusal(to_json(full()) + to_json(full())), "");
  EXPECT_NE(refusal(to_json(full()) + std::string(1, '\0')), "");
}

TEST(CounterexampleFile, RubbishEndsInALineOrInAConsistentCase) {
  const std::string text = to_json(full());
  std::mt19937 random(2);
  int refused = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string mangled = text;
    const std::size_t at = random() % mangled.size();
    if (i % 2 == 0) {
      mangled[at] = static_cast<char>(random());
    } else {
      mangled.erase(at, 1 + random() % 8);
    }
    const std::string line = refusal(mangled);
    EXPECT_EQ(line.find('\n'), std::string::npos) << line;
    if (!line.empty()) {
      EXPECT_EQ(line.find("a.json: "), 0U) << line;
      ++refused;
    }
  }
  EXPECT_GT(refused, 2000);
}

TEST(CounterexampleFile, ARefusalNamesThePlaceAndTheThing) {
  const std::string first = "steps[0].shards[0].micro_batches[0]";
  const struct {
    std::string text;
    std::string line;
  } examples[] = {
      {"", "a.json: an object is due, the file ends"},
      {"[]", "a.json: an object is due, found \"[\" in line 1"},
      {"\x7F\x45LF", "a.json: an object is due, found \"\\u007f\" in line 1"},
      {"\xFF\xFE", "a.json: an object is due, found a byte that is not text in line 1"},
      {"{}", "a.json: key \"format\" is missing"},
      {R"({"a": 1})",
       "a.json: unknown key \"a\"; known: format, version, subject, property, claim, seed, "
       "case_index, shrunk, failure, case"},
      {changed("shardproof.case", "shardproof.report"),
       "a.json: format: is another format; known: shardproof.case"},
      {changed("\"version\": 1", "\"version\": 2"),
       "a.json: version: is 2; this program reads version 1"},
      {changed("\"version\": 1", "\"version\": 1.0"), "a.json: version: \"1.0\" is no integer"},
      {changed("\"version\": 1", "\"version\": 1,\n\"version\": 1"),
       "a.json: key \"version\" stands there twice"},
      {changed("\"mask\": [1, 1]", "\"mask\": [1, 1, 1]"),
       "a.json: case." + first + ": mask has 3 entries, x has 2 rows"},
      {changed("[1,0.1]", "[1,0.1,1]"),
       "a.json: case." + first + ".x[1]: has 2 numbers, the row before has 3"},
      {changed("[1,0.1], [-0.0,5e-324]", "[1], [2]"),
       "a.json: case: " + first + ": rows of x have 1 numbers, the model has 2 features"},
      {changed("[1,0.1]", "[1,null]"),
       "a.json: case." + first + ".x[0][1]: a number is due, found \"n\" in line 20"},
      {changed("[1,0.1]", "[1,\"nan\"]"),
       "a.json: case." + first +
           ".x[0][1]: \"nan\" is no number; \"NaN\", \"Infinity\" and \"-Infinity\" are"},
      {changed("[1,0.1]", "[1,1e999]"),
       "a.json: case." + first + ".x[0][1]: \"1e999\" lies outside the range of binary64"},
      {changed("[1,0.1]", "[1,\"NaN\"]"),
       "a.json: " + first + ".x[1]: is not finite, in a row that the mask keeps"},
      {changed("\"parameters\": [1,", "\"parameters\": [\"Infinity\","),
       "a.json: model.parameters[0]: is not finite"},
      {changed("\"f64\"", "\"f32\""),
       "a.json: model.parameters[2]: 0.3333333333333333 is no value of f32"},
      {changed("\"f64\"", "\"f63\""), "a.json: case.dtype: no such dtype; known: f64, f32"},
      {changed("\"size\": 2", "\"size\": 1000000000"),
       "a.json: mesh.axes[0]: size is 1000000000, allowed are 1 to 64"},
      {changed("\"size\": 2", "\"size\": 10000000000000"),
       "a.json: case.mesh[0].size: 10000000000000 lies outside 1 to 2147483647"},
      {changed("\"features\": 2", "\"features\": true"),
       "a.json: case.model.features: a number is due, found \"t\" in line 16"},
      {changed("\"shrunk\": true", "\"shrunk\": 1"),
       "a.json: shrunk: true or false is due, found \"1\" in line 9"},
      {changed("\"seed\": 18446744073709551615", "\"seed\": -1"),
       "a.json: seed: \"-1\" is no integer from 0 to 2^64 - 1"},
      {changed("\"subject\": \"", "\"subject\": \"\xFF"),
       "a.json: subject: more of a string is due, found a byte that is not text in line 4"},
      {changed("target=weighted-mean", "target=median"), "a.json: claim: "},
      {changed("padding=any", "world=3..4"), "a.json: claim: the case lies outside it: "},
  };
  for (const auto& [text, line] : examples) EXPECT_EQ(refusal(text).substr(0, line.size()), line);
}

TEST(CounterexampleFile, GivenContributionsMustHaveTheShapeOfTheCase) {
  Counterexample example = full();
  const GivenContributions given = *example.problem.given;
  const auto refused = [&](const auto& change) {
    GivenContributions wrong = given;
    change(wrong.items);
    example.problem.given = std::make_shared<const GivenContributions>(wrong);
    return refusal(to_json(example));
  };
  EXPECT_EQ(refused([](auto&) {}), "");
  EXPECT_NE(refused([](auto& items) { items.pop_back(); }), "");
  EXPECT_NE(refused([](auto& items) { items[1].pop_back(); }), "");
  EXPECT_NE(refused([](auto& items) { items[0][1].pop_back(); }), "");
  EXPECT_NE(refused([](auto& items) { items[0][1][0].gradient.push_back(1); }), "");
}

// 200 MB of brackets, of empty arrays where rows are due, and of one endless string.
TEST(CounterexampleFile, HugeRubbishIsRefusedInUnderASecond) {
  constexpr std::size_t kSize = 200'000'000;
  const std::string head = R"({"case": {"steps": [{"shards": [{"micro_batches": [{"x": )";
  std::string pairs = head + "[";
  while (pairs.size() < kSize) pairs += "[],";
  for (const std::string& text : {std::string(kSize, '['), head + std::string(kSize, '['), pairs,
                                  "{\"" + std::string(kSize, '{')}) {
    const std::clock_t before = std::clock();  // of this process, whatever else the machine does
    EXPECT_NE(refusal(text), "");
    EXPECT_LT(std::clock() - before, CLOCKS_PER_SEC);
  }
}

class CounterexampleOnDisk : public testing::Test {
 protected:
  CounterexampleOnDisk() {
    std::string name = (std::filesystem::temp_directory_path() / "shardproof-XXXXXX").string();
    directory_ = mkdtemp(name.data());
  }
  ~CounterexampleOnDisk() override { std::filesystem::remove_all(directory_); }

  static std::string load_refusal(const std::string& path) {
    try {
      load_counterexample(path);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

  std::filesystem::path directory_;
};

TEST_F(CounterexampleOnDisk, IsLoadedAsItWasSavedAndLeavesNothingBesides) {
  const std::string path = directory_ / "a.json";
  save_counterexample(path, full());
  save_counterexample(path, full());
  EXPECT_TRUE(load_counterexample(path).problem == full_case());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory_), {}), 1);
}

TEST_F(CounterexampleOnDisk, WhatIsNoFileOrEmptyIsRefused) {
  const std::string missing = directory_ / "missing.json";
  EXPECT_EQ(load_refusal(missing), missing + ": cannot be read: No such file or directory");
  EXPECT_EQ(load_refusal(directory_), directory_.string() + ": is a directory");
  const std::string empty = directory_ / "empty.json";
  std::ofstream{empty};
  EXPECT_EQ(load_refusal(empty), empty + ": is empty");
}

TEST_F(CounterexampleOnDisk, ADirectoryThatIsNotThereIsNamed) {
  const std::string path = directory_ / "no" / "a.json";
  try {
    save_counterexample(path, full());
    FAIL() << "was saved";
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(), path + ": cannot be written: No such file or directory");
  }
}

}  // namespace
}  // namespace shardproof
