#include "case/json_reader.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "shardproof/case/error.h"

namespace shardproof {
namespace {

std::string refusal(std::string_view text, JsonReader::Text what,
                    const std::function<void(JsonReader&)>& read) {
  JsonReader reader(text, "place", what);
  try {
    read(reader);
    reader.end();
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(JsonReader, OfAProgramTakesBareNumbersThatAreNone) {
  JsonReader reader("[NaN, -Infinity,Infinity, \"NaN\", -0.0]", "", JsonReader::Text::line);
  const std::vector<double> values = reader.numbers(8);
  ASSERT_EQ(values.size(), 5U);
  EXPECT_TRUE(std::isnan(values[0]) && std::isnan(values[3]));
  EXPECT_TRUE(values[1] < 0 && std::isinf(values[1]) && std::isinf(values[2]));
  EXPECT_TRUE(std::signbit(values[4]));
}

TEST(JsonReader, OfAFileTakesThemInQuotesOnly) {
  EXPECT_EQ(refusal("NaN", JsonReader::Text::file, [](JsonReader& r) { r.number(); }),
            "place: a number is due, found \"N\" in line 1");
}

TEST(JsonReader, OfALineNamesTheByte) {
  EXPECT_EQ(refusal("  x", JsonReader::Text::line, [](JsonReader& r) { r.number(); }),
            "place: a number is due, found \"x\" at byte 3");
  EXPECT_EQ(refusal("[1", JsonReader::Text::line, [](JsonReader& r) { r.numbers(3); }),
            "place: ',' or ']' is due, the line ends");
}

TEST(JsonReader, SkipsAnyValue) {
  const auto skip = [](JsonReader& r) { r.skip(); };
  EXPECT_EQ(refusal(R"({"a": [1, "x", {"b": null}], "c": true, "d": [], "e": {}})",
                    JsonReader::Text::line, skip),
            "");
  EXPECT_EQ(refusal("[1 2]", JsonReader::Text::line, skip),
            "place: ',' or ']' is due, found \"2\" at byte 4");
  EXPECT_EQ(refusal(std::string(1 << 20, '['), JsonReader::Text::line, skip).substr(0, 10),
            "place: [0]");
}

TEST(JsonReader, ReadsWhateverMembersOnce) {
  std::string keys;
  JsonReader reader(R"({"b": 1, "a": [2]})", "", JsonReader::Text::line);
  reader.members([&](const std::string& key) {
    keys += key;
    reader.skip();
  });
  EXPECT_EQ(keys, "ba");
  EXPECT_EQ(refusal(R"({"a": 1, "a": 2})", JsonReader::Text::line,
                    [](JsonReader& r) { r.members([&](const std::string&) { r.skip(); }); }),
            "place: key \"a\" stands there twice");
}

}  // namespace
}  // namespace shardproof
