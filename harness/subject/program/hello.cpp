#include "subject/program/hello.h"

#include <algorithm>
#include <array>
#include <limits>

#include "case/json_reader.h"
#include "shardproof/case/case.h"
#include "shardproof/case/error.h"

namespace shardproof {
namespace {

void read_version(JsonReader& reader) {
  const auto version = reader.integer(std::numeric_limits<std::int64_t>::min(),
                                      std::numeric_limits<std::int64_t>::max());
  if (version == kProtocolVersion) return;
  reader.refuse("the program speaks version " + std::to_string(version) +
                " of the protocol, this shardproof speaks " + std::to_string(kProtocolVersion));
}

ProgramKind read_kind(JsonReader& reader) {
  constexpr std::array kNames{std::string_view("reducer"), std::string_view("all_at_once"),
                              std::string_view("train_step")};
  const std::string name = reader.string();
  const auto found = std::ranges::find(kNames, name);
  if (found == kNames.end()) {
    reader.refuse("is no kind of subject; known: reducer, all_at_once, train_step");
  }
  return static_cast<ProgramKind>(found - kNames.begin());
}

/// Settings, or an object of the same keys.
std::string read_claim(JsonReader& reader) {
  if (reader.next() != '{') return reader.string();
  std::string settings;
  reader.members([&](const std::string& key) {
    // A preset has to come first, wherever it stands in the object.
    std::string entry = key + '=';
    const char next = reader.next();
    if (next == '"') {
      entry += reader.string();
    } else if (next == 't' || next == 'f') {
      entry += reader.boolean() ? "yes" : "no";
    } else {
      entry += std::to_string(reader.integer(std::numeric_limits<std::int64_t>::min(),
                                             std::numeric_limits<std::int64_t>::max()));
    }
    const std::string_view comma = settings.empty() ? "" : ",";
    settings = key == "preset" ? entry + std::string(comma) + settings
                               : settings + std::string(comma) + entry;
  });
  return settings;
}

void check_ranks(const JsonReader& reader, const Hello& hello) {
  if (hello.ranks.empty() && hello.world == 0) return;
  if (hello.ranks.empty() || hello.world == 0) {
    reader.refuse("ranks and world stand together or not at all");
  }
  if (hello.kind == ProgramKind::all_at_once) {
    reader.refuse("one result for all ranks and ranks of its own do not go together");
  }
  std::vector<int> sorted = hello.ranks;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) != sorted.end())
    reader.refuse("a rank stands there twice");
  if (sorted.back() >= hello.world) {
    reader.refuse("rank " + std::to_string(sorted.back()) + " lies outside a world of " +
                  std::to_string(hello.world));
  }
}

}  // namespace

std::string hello_message() {
  return R"({"shardproof":)" + std::to_string(kProtocolVersion) + R"(,"type":"hello"})" + '\n';
}

Hello parse_hello(std::string_view line) {
  JsonReader reader(line, "", JsonReader::Text::line);
  Hello hello;
  reader.object({
      {"shardproof", [&] { read_version(reader); }},
      {"type",
       [&] {
         if (reader.string() != "hello") reader.refuse("\"hello\" is due");
       }},
      {"kind", [&] { hello.kind = read_kind(reader); }},
      {"claim", [&] { hello.claim = read_claim(reader); }, false},
      {"ranks",
       [&] {
         reader.array(kMaxWorldSize, [&] {
           hello.ranks.push_back(static_cast<int>(reader.integer(0, kMaxWorldSize - 1)));
         });
       },
       false},
      {"world", [&] { hello.world = static_cast<int>(reader.integer(1, kMaxWorldSize)); }, false},
  });
  reader.end();
  check_ranks(reader, hello);
  return hello;
}

}  // namespace shardproof
